# Completion of olmdex for PowerShell. Names are only ever data here: the program offers none that PowerShell would read
# as more than a word.

Register-ArgumentCompleter -Native -CommandName 'olmdex' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $before = @(
        $commandAst.CommandElements | Select-Object -Skip 1 |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            ForEach-Object {
                if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
                else { $_.Extent.Text }
            }
    )
    $program = Get-Command -Name 'olmdex' -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if (-not $program) { return }
    $answer = @(& $program complete "--current=$wordToComplete" '--' $before 2>$null)
    # PowerShell offers files by itself where nothing is returned.
    if ($answer.Count -lt 2 -or $answer[0] -ne 'words') { return }
    foreach ($line in $answer[1..($answer.Count - 1)]) {
        $word, $about = $line -split "`t", 2
        if (-not $about) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
}
