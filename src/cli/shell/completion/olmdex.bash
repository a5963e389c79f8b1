# Completion of olmdex for Bash. Names are only ever data here: nothing is expanded or evaluated.

_olmdex() {
    local kind='' line
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS= read -r line; do
            printf -v line '%q' "${line%%$'\t'*}"
            COMPREPLY+=("$line")
        done
    } < <(command olmdex complete "--line=${COMP_LINE:0:COMP_POINT}" "--current=$2" 2>/dev/null)
    # Without words, Bash offers files by itself; Bash 3 cannot be told otherwise.
    case "$kind" in
        words) compopt +o default ;;
        directories) compopt +o default -o dirnames ;;
    esac 2>/dev/null
    return 0
}

complete -F _olmdex -o nosort -o default olmdex 2>/dev/null || complete -F _olmdex -o default olmdex
