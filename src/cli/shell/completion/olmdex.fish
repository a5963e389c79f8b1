# Completion of olmdex for fish. Names are only ever data here: fish quotes what it inserts.

function __olmdex_complete
    set -l line (commandline --current-process --cut-at-cursor | string collect --allow-empty)
    set -l answer (command olmdex complete "--line=$line" 2>/dev/null)
    set -l token (commandline --current-token --cut-at-cursor)
    set -l before (string match --regex '^.*=' -- "$token")
    set -l path (string replace --regex '^.*=' '' -- "$token")
    switch "$answer[1]"
        case words
            test (count $answer) -gt 1; and printf '%s\n' $answer[2..-1]
        case directories
            for found in (__fish_complete_directories "$path" '')
                printf '%s%s\n' "$before" "$found"
            end
        case '*'
            for found in (__fish_complete_path "$path")
                printf '%s%s\n' "$before" "$found"
            end
    end
end

complete --command olmdex --erase
complete --command olmdex --no-files --keep-order --arguments '(__olmdex_complete)'
