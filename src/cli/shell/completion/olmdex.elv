# Completion of olmdex for Elvish. Names are only ever data here: Elvish quotes what it inserts.

use str

set edit:completion:arg-completer[olmdex] = {|@words|
    var answer = [(
        try {
            (external olmdex) complete --current=$words[-1] -- (all $words[1..-1]) 2>/dev/null | from-lines
        } catch _ {
            nop
        }
    )]
    if (and (> (count $answer) 0) (eq $answer[0] words)) {
        for line $answer[1..] {
            var parts = [(str:split "\t" $line)]
            if (== (count $parts) 2) {
                edit:complex-candidate $parts[0] &display=$parts[0]'  -- '$parts[1]
            } else {
                put $parts[0]
            }
        }
    } else {
        edit:complete-filename $@words
    }
}
