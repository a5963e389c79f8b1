//! stub
/// stub
pub const APPLICATION_ID: i32 = 1;
/// stub
pub fn is_legacy_catalog(_: &std::path::Path) -> bool {
    false
}
