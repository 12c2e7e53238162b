import type { Command } from 'commander'
import { btc, eth } from '../../simulator/market/token-options.js'
import { defineCommand, one } from './shared/parts.js'

const examples = `
Examples:
  $ source <(svc-streams completion bash)
      Complete commands, flags, values and files in this shell; for zsh, write zsh. For every shell, add the line to ~/.bashrc,
      or to ~/.zshrc after compinit.
  $ npx svc-streams completion fish > ~/.config/fish/completions/svc-streams.fish
      Complete in every shell from now on.

The shell completes the command svc-streams, not npx svc-streams. For an installation in a project, add its folder of
commands to the path: PATH=$PWD/node_modules/.bin:$PATH`

export const createCommand = defineCommand({
  examples,
  arguments: one('<shell>', 'shell that reads the script').choices(['bash', 'zsh', 'fish']),
  flags: {},
  action: (io, { parent }, _flags, given) => {
    if (parent === null) throw new Error('completion is no command of a program')
    const script = given === 'fish' ? fishScript : bashScript
    io.stdout.write(script(completionsOf(parent)))
  },
})

/** What a shell completes after each command. The first one is the program, without a name. Files are completed by the shell. */
const completionsOf = (program: Command) => {
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  /** By the name of an argument or of a value in the help. */
  const known: Readonly<Partial<Record<string, readonly string[]>>> = {
    token: [eth.symbol, btc.symbol],
    command: commands.map((command) => command.name()),
  }
  const wordsOf = (name: string, choices = known[name] ?? []): readonly string[] => choices
  return [program, ...commands].map((command) => ({
    name: command === program ? '' : command.name(),
    description: command.description(),
    words:
      command === program
        ? wordsOf('command')
        : command.registeredArguments.flatMap((each) => wordsOf(each.name(), each.argChoices)),
    // A flag without a value has no values; one of a file has none to suggest.
    flags: help.visibleOptions(command).map(({ short, long, description, flags, argChoices }) => {
      const value = /[<[](\w+)/.exec(flags)?.[1]
      const names = [short, long].filter((name) => name !== undefined)
      return { names, description, values: value === undefined ? undefined : wordsOf(value, argChoices) }
    }),
  }))
}

type Completion = ReturnType<typeof completionsOf>[number]

/** The script for bash, version 3.2 and later, and for zsh. */
const bashScript = (completions: readonly Completion[]): string => `\
# Completion of svc-streams for bash and zsh.
[[ -z $ZSH_VERSION ]] || { autoload -Uz bashcompinit && bashcompinit; }
_svc_streams() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' word
  # bash splits --flag=value into three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case $word in
      ${completions[0]?.words.join('|')}) command=$word; break ;;
    esac
  done
  case "$command $previous $current" in
${completions.flatMap(bashCases).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc_streams svc-streams
`

/** The values of the flags of a command, its flags, and its arguments. */
const bashCases = ({ name, words, flags }: Completion): readonly string[] => {
  const lineOf = (pattern: string, all: readonly string[]) => `    ${pattern}) words='${all.join(' ')}' ;;`
  const values = flags.flatMap((flag) =>
    flag.names.map((each) => (flag.values === undefined ? '' : lineOf(`'${name} ${each} '*`, flag.values))),
  )
  const names = flags.flatMap((flag) => flag.names)
  return [...values.filter(Boolean), lineOf(`'${name} '*' -'*`, names), lineOf(`'${name} '*`, words)]
}

const fishScript = (completions: readonly Completion[]): string =>
  [
    '# Completion of svc-streams for fish.',
    ...completions.flatMap(({ name, description, words, flags }) => {
      const ofProgram = 'complete -c svc-streams -n __fish_use_subcommand'
      const isGiven = `complete -c svc-streams -n '__fish_seen_subcommand_from ${name}'`
      if (name === '') return flags.map((flag) => `${ofProgram} ${fishFlag(flag)}`)
      return [
        `${ofProgram} -f -a ${name} -d ${fishText(description)}`,
        `${isGiven} ${words.length === 0 ? '-F' : `-f -a ${fishText(words.join(' '))}`}`,
        ...flags.map((flag) => `${isGiven} ${fishFlag(flag)}`),
      ]
    }),
  ].join('\n') + '\n'

const fishFlag = ({ names, description, values }: Completion['flags'][number]): string => {
  const spellings = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  const suggestions = values?.length === 0 ? ['-r -F'] : [`-x -a ${fishText((values ?? []).join(' '))}`]
  return [...spellings, ...(values === undefined ? [] : suggestions), `-d ${fishText(description)}`].join(' ')
}

const fishText = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
