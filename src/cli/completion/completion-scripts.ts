export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The hidden command that all scripts call with the words typed so far. It prints lines of the form `value TAB
 * description`.
 */
export const COMPLETE_COMMAND = "__complete";
/**
 * The start of an output line that tells the script to complete paths as well. After it come a tab and the text of the
 * last word before the path, such as `--config=`.
 */
export const FILES_LINE = ":files";

/** Returns the script for a shell. The script contains no candidates and calls the program to get them. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell].trimStart();
}

/**
 * bash splits words at `=` and `:`, and does not remove quotes and backslashes. The script joins the parts again, and
 * completes only the part after the last of these characters. It removes quotes and backslashes without `eval`, which
 * would run commands in the typed words.
 */
const BASH = `
# bash completion for migrate
_migrate() {
  local IFS=$'\\n' word words=() current prefix line value quote i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]} quote=
    case $word in
      \\'* | \\"*) quote=\${word:0:1}; current=\${word:1}; current=\${current%"$quote"} ;;
      *) IFS= read current <<< "$word" ;;
    esac
    if ((\${#words[@]} > 0)) && [[ $word == [=:] || \${COMP_WORDS[i-1]} == [=:] ]]; then
      words[\${#words[@]}-1]+=$current
    else
      words+=("$current")
    fi
  done
  [[ $word == [=:] ]] && current=
  word=\${words[\${#words[@]}-1]}
  prefix=\${word%"$current"}
  COMPREPLY=()
  while read -r line; do
    if [[ $line == ${FILES_LINE}$'\\t'* ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$current"))
    else
      value=\${line%%$'\\t'*}
      [[ $value == "$word"* ]] || continue
      value=\${value#"$prefix"}
      [[ $value == *= ]] && compopt -o nospace 2>/dev/null
      [[ -n $quote ]] || value=$(printf %q "$value")
      COMPREPLY+=("$value")
    fi
  done < <("\${COMP_WORDS[0]}" ${COMPLETE_COMMAND} -- "\${words[@]}" 2>/dev/null)
}
complete -F _migrate migrate
`;

const ZSH = `
#compdef migrate
# zsh completion for migrate
_migrate() {
  local -a candidates
  local line value files= prefix=
  for line in "\${(@f)$("\${(Q)words[1]}" ${COMPLETE_COMMAND} -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ${FILES_LINE}$'\\t'* ]]; then
      files=1 prefix=\${line#*$'\\t'}
    elif [[ -n $line ]]; then
      value=\${line%%$'\\t'*}
      candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( $#candidates )) && _describe migrate candidates
  [[ -n $files ]] && compset -p \${#prefix} && _files
}
if [[ $funcstack[1] == _migrate ]]; then
  _migrate "$@"
else
  compdef _migrate migrate
fi
`;

const FISH = `
# fish completion for migrate
function __migrate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (command $words[1] ${COMPLETE_COMMAND} -- $words[2..-1] "$current" 2>/dev/null)
        set -l parts (string split -m 1 \\t -- $line)
        if test "$parts[1]" = ${FILES_LINE}
            set -l start (math (string length -- "$parts[2]") + 1)
            for path in (__fish_complete_path (string sub -s $start -- "$current"))
                echo $parts[2]$path
            end
        else
            echo $line
        end
    end
end
complete -c migrate -f -a '(__migrate_complete)'
`;

/** Windows PowerShell cannot pass an empty word to a program, so `--empty` represents it. */
const POWERSHELL = `
# PowerShell completion for migrate
Register-ArgumentCompleter -Native -CommandName migrate -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        Select-Object -Skip 1 | ForEach-Object { $_.ToString().Trim('"', "'") })
    $empty = if ($wordToComplete -eq '') { @('--empty') } else { @() }
    & $commandAst.GetCommandName() ${COMPLETE_COMMAND} @empty '--' @words 2>$null | ForEach-Object {
        if ($_ -like '${FILES_LINE}*') {
            $prefix = ($_ -split "\`t", 2)[1]
            $start = $wordToComplete.Substring($prefix.Length)
            Get-ChildItem -Name -Path "$start*" -ErrorAction SilentlyContinue | ForEach-Object {
                $path = $prefix + (Join-Path (Split-Path "$start*") $_)
                [System.Management.Automation.CompletionResult]::new($path, $path, 'ProviderItem', $path)
            }
        } else {
            $value, $description = $_ -split "\`t", 2
            if ($value -like "$wordToComplete*") {
                if (-not $description) { $description = $value }
                [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
            }
        }
    }
}
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
