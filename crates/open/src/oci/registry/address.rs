//! The addresses to which a registry may send us: redirects, upload addresses and token servers, by one policy.
//!
//! The server that answers as a registry decides these addresses. None of them may take a request off TLS, carry
//! credentials to another host, or lead from a public registry into the network that we are in.
//!
//! Limit of this protection: a name may mean another address a moment later, since this module looks up only once
//! whether the network is ours.

use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs as _};

use ureq::http::Uri;
use ureq::http::uri::Authority;

use super::super::error::OciError;

/// Host and port of an address, as it is written.
pub(super) fn host_of(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let authority = uri.as_ref().and_then(Uri::authority).map(|it| it.as_str());
    // A user in front of a host makes it look like another one.
    authority.map(|it| it.rsplit('@').next().unwrap_or(it).to_owned()).unwrap_or_default()
}

/// Whether a host, with or without a port, is this machine by its name: `localhost`, or an address of the loopback.
/// Nothing is looked up.
pub(super) fn is_this_machine(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_matches(['[', ']']);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether two addresses are of the same host and port.
pub(super) fn is_same_host(a: &str, b: &str) -> bool {
    match (origin(a), origin(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// Host in lower case and port, with the port that the scheme implies.
fn origin(url: &str) -> Option<(String, u16)> {
    let uri: Uri = url.parse().ok()?;
    let port = match uri.scheme_str()? {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    Some((uri.host()?.to_lowercase(), uri.port_u16().unwrap_or(port)))
}

fn is_plain(url: &str) -> bool {
    url.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("http:"))
}

/// Refuses a redirect that no registry has a reason for: from TLS to none, and from elsewhere to this machine or its
/// own network.
pub(super) fn check_redirect(from: &str, to: &str) -> Result<(), OciError> {
    let refuse =
        |why: &str| Err(OciError::registry(format!("`{}` redirects to `{}`, {why}", host_of(from), host_of(to))));
    if is_plain(to) && !is_plain(from) {
        return refuse("without TLS");
    }
    if leads_inside(from, to) { refuse("which is on this machine or its own network") } else { Ok(()) }
}

/// The address that a blob is sent to, credentials included: on the registry's own host and port, and with TLS if the
/// registry has it.
pub(super) fn upload(from: &str, to: &str) -> Result<String, OciError> {
    // A registry behind a proxy that ends TLS may not know that it has any.
    let to = match to.strip_prefix("http://") {
        Some(rest) if !is_plain(from) && host_of(from).eq_ignore_ascii_case(&host_of(to)) => format!("https://{rest}"),
        _ => to.to_owned(),
    };
    if !is_plain(from) && is_plain(&to) {
        return Err(OciError::registry(format!("`{}` wants it to be sent without TLS", host_of(from))));
    }
    if is_same_host(from, &to) {
        Ok(to)
    } else {
        Err(OciError::registry(format!("`{}` wants it to be sent to another host", host_of(from))))
    }
}

/// Refuses a token server that is not to learn credentials. It may be another host, with TLS; without TLS only the
/// registry itself, or both on this machine; never this machine or its own network unless the registry is there too.
pub(super) fn check_realm(registry: &str, realm: &str) -> Result<(), OciError> {
    let refuse = |why: &str| {
        let (host, realm) = (host_of(registry), realm.escape_default());
        Err(OciError::registry(format!("`{host}` asks for our credentials at `{realm}`, {why}")))
    };
    if origin(realm).is_none() {
        return refuse("which is not a valid address");
    }
    let is_own = is_same_host(registry, realm) || (is_inner(registry) && is_inner(realm));
    if is_plain(realm) && !(is_plain(registry) && is_own) {
        return refuse("without TLS");
    }
    if leads_inside(registry, realm) { refuse("which is on this machine or its own network") } else { Ok(()) }
}

/// Whether an address leads from elsewhere to this machine or its own network.
fn leads_inside(from: &str, to: &str) -> bool {
    !is_same_host(from, to) && !is_inner(from) && is_inner(to)
}

/// Whether the host of an address is this machine, or reachable from its own network only.
fn is_inner(url: &str) -> bool {
    let Some((host, port)) = origin(url) else { return false };
    let host = host.trim_matches(['[', ']']);
    (host, port).to_socket_addrs().is_ok_and(|mut all| all.any(|it| is_inner_address(it.ip())))
}

fn is_inner_address(address: IpAddr) -> bool {
    let of_v4 = |it: Ipv4Addr| {
        let [first, second, ..] = it.octets();
        // 100.64.0.0/10 is shared by the customers of a provider.
        let is_shared = first == 100 && (64..128).contains(&second);
        it.is_loopback() || it.is_link_local() || it.is_unspecified() || it.is_private() || is_shared
    };
    match address {
        IpAddr::V4(it) => of_v4(it),
        IpAddr::V6(it) => match it.to_ipv4_mapped() {
            Some(mapped) => of_v4(mapped),
            None => it.is_loopback() || it.is_unspecified() || it.is_unicast_link_local() || it.is_unique_local(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_keeps_tls_and_stays_outside() {
        for (from, to, is_followed) in [
            ("https://93.184.215.14/v2/", "https://93.184.215.15/x", true),
            ("https://93.184.215.14/v2/", "http://93.184.215.14/x", false),
            ("https://93.184.215.14/v2/", "HTTP://93.184.215.14/x", false),
            ("https://93.184.215.14/v2/", "https://127.0.0.1/x", false),
            ("https://93.184.215.14/v2/", "https://10.1.2.3/x", false),
            ("https://93.184.215.14/v2/", "https://[::1]/x", false),
            ("https://93.184.215.14/v2/", "https://[fd00::1]/x", false),
            ("https://93.184.215.14/v2/", "https://[::ffff:192.168.0.1]/x", false),
            ("https://93.184.215.14/v2/", "https://100.64.0.1/x", false),
            ("http://127.0.0.1:5000/v2/", "http://127.0.0.1:5001/x", true),
            ("https://10.0.0.1/v2/", "https://10.0.0.2/x", true),
        ] {
            assert_eq!(check_redirect(from, to).is_ok(), is_followed, "{from} to {to}");
        }
    }

    /// Finding S13: a proxy saw the credentials for a registry on this machine.
    #[test]
    fn this_machine_is_known_by_its_names() {
        for (host, is_this) in [
            ("localhost", true),
            ("LocalHost:5000", true),
            ("127.0.0.1:5000", true),
            ("127.8.9.10", true),
            ("[::1]:5000", true),
            ("[::ffff:127.0.0.1]", true),
            ("localhost.example.com", false),
            ("10.0.0.1:5000", false),
            ("[fd00::1]", false),
            ("", false),
        ] {
            assert_eq!(is_this_machine(host), is_this, "{host}");
        }
    }

    #[test]
    fn credentials_go_to_the_same_host_and_port() {
        for (a, b, is_same) in [
            ("https://r.example.com/v2/", "https://R.example.com:443/x", true),
            ("https://r.example.com/", "https://r.example.com:8443/", false),
            ("https://r.example.com/", "http://r.example.com/", false),
            ("http://r.example.com/", "http://r.example.com:80/", true),
            ("https://r.example.com/", "https://r.example.com@evil.example/", false),
            ("https://r.example.com/", "ftp://r.example.com/", false),
        ] {
            assert_eq!(is_same_host(a, b), is_same, "{a} and {b}");
        }
    }

    #[test]
    fn blobs_are_sent_with_tls_to_the_registry_itself() {
        let from = "https://r.example.com:5000/v2/x/blobs/uploads/";
        for (to, sent_to) in [
            ("https://r.example.com:5000/up/1", Some("https://r.example.com:5000/up/1")),
            // A proxy ended TLS, and the registry does not know.
            ("http://r.example.com:5000/up/1", Some("https://r.example.com:5000/up/1")),
            ("http://r.example.com/up/1", None),
            ("https://r.example.com/up/1", None),
            ("https://evil.example/up/1", None),
            ("HTTP://r.example.com:5000/up/1", None),
        ] {
            assert_eq!(upload(from, to).ok().as_deref(), sent_to, "{to}");
        }
        let plain = "http://127.0.0.1:5000/v2/x/blobs/uploads/";
        assert_eq!(upload(plain, "http://127.0.0.1:5000/up").ok().as_deref(), Some("http://127.0.0.1:5000/up"));
    }

    #[test]
    fn a_token_server_is_public_and_has_tls() {
        for (registry, realm, is_asked) in [
            ("https://93.184.215.14/", "https://93.184.215.15/token", true),
            ("https://93.184.215.14/", "http://93.184.215.14/token", false),
            ("https://93.184.215.14/", "https://127.0.0.1/token", false),
            ("https://93.184.215.14/", "https://192.168.1.1/token", false),
            ("https://93.184.215.14/", "https://169.254.169.254/token", false),
            ("https://93.184.215.14/", "file:///etc/passwd", false),
            ("https://93.184.215.14/", "token", false),
            ("https://10.0.0.1/", "https://10.0.0.2/token", true),
            ("http://93.184.215.14/", "http://93.184.215.14/token", true),
            ("http://93.184.215.14/", "http://93.184.215.15/token", false),
            ("http://127.0.0.1:5000/", "http://127.0.0.1:5001/token", true),
        ] {
            assert_eq!(check_realm(registry, realm).is_ok(), is_asked, "{realm} of {registry}");
        }
    }
}
