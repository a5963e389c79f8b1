#compdef olmdex
# Completion of olmdex for zsh. Names are only ever data here: zsh quotes what it inserts.

_olmdex() {
    local kind='' line
    local -a offered shown
    {
        IFS= read -r kind
        while IFS= read -r line; do
            offered+=("${line%%$'\t'*}")
            shown+=("${line/$'\t'/  -- }")
        done
    } < <(command olmdex complete "--current=${(Q)PREFIX}" -- "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)
    case "$kind" in
        words)
            if [[ "${shown[*]}" == *'  -- '* ]]; then
                compadd -V olmdex -l -d shown -a offered
            else
                compadd -V olmdex -a offered
            fi
            ;;
        directories) compset -P '*='; _files -/ ;;
        *) compset -P '*='; _files ;;
    esac
}

if [[ "${funcstack[1]}" == _olmdex ]]; then
    _olmdex "$@"
else
    compdef _olmdex olmdex
fi
