# The formula of Homebrew, which installs formulas from taps: copy it to `Formula/` of a repository USER/homebrew-tap.
#
#   brew install USER/tap/olmdex
class Olmdex < Formula
  desc "Check, query and migrate catalogs of the Operator Lifecycle Manager"
  homepage "https://github.com/olmdex/olmdex"
  version "VERSION"
  license "Apache-2.0"

  on_macos do
    # each darwin target
    on_BREWARCH do
      url "https://github.com/olmdex/olmdex/releases/download/vVERSION/olmdex-VERSION-TARGET.tar.gz"
      sha256 "ARCHIVE_SHA256"
    end
    # end
  end

  on_linux do
    # each linux target
    on_BREWARCH do
      url "https://github.com/olmdex/olmdex/releases/download/vVERSION/olmdex-VERSION-TARGET.tar.gz"
      sha256 "ARCHIVE_SHA256"
    end
    # end
  end

  def install
    bin.install "olmdex"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/olmdex.bash" => "olmdex"
    fish_completion.install "completions/olmdex.fish"
    zsh_completion.install "completions/olmdex.zsh" => "_olmdex"
  end

  test do
    (testpath/"till.yaml").write <<~YAML
      ---
      schema: olm.package
      name: till
      defaultChannel: stable
      ---
      schema: olm.channel
      package: till
      name: stable
      entries:
      - name: till.v1.0.0
      ---
      schema: olm.bundle
      package: till
      name: till.v1.0.0
      image: quay.io/example/till-bundle:v1.0.0
      properties:
      - type: olm.package
        value:
          packageName: till
          version: 1.0.0
    YAML
    system bin/"olmdex", "check", "till.yaml"
  end
end
