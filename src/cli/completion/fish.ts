import { oneLine } from './one-line.js'
import type { CompletedFlag, CompletedProgram, CompletedValue } from './words.js'

/** The completion script for fish. */
export const fishScript = ({ name, flags, commands }: CompletedProgram): string => {
  const isCommand = `__${name.replaceAll('-', '_')}_command_is`
  const complete = (command: string, ...args: readonly string[]): string =>
    `complete -c ${name} -n ${quote(`${isCommand} '${command}'`)} ${args.join(' ')}`
  return `\
# Completion of ${name} for fish.
# Succeeds if the command line contains this command; for an empty argument, if it contains none.
function ${isCommand}
  for word in (commandline -opc)[2..-1]
    if not string match -q -- '-*' $word
      test $word = "$argv[1]"
      return
    end
  end
  test -z "$argv[1]"
end

complete -c ${name} -f
${flags.map((flag) => complete('', flagArgs(flag))).join('\n')}
${commands.map((command) => complete('', `-a ${command.name} -d ${quote(oneLine(command.description))}`)).join('\n')}
${commands
  .flatMap((command) => [
    ...command.flags.map((flag) => complete(command.name, flagArgs(flag))),
    ...(command.argument === undefined ? [] : [complete(command.name, valueArgs(command.argument))]),
  ])
  .join('\n')}
`
}

const flagArgs = ({ names, description, value }: CompletedFlag): string => {
  const spellings = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  const values = value === undefined ? [] : ['-r', valueArgs(value)]
  return [...spellings, ...values, `-d ${quote(oneLine(description))}`].join(' ')
}

const valueArgs = ({ suggested }: CompletedValue): string => {
  if (suggested === 'files') return '-F'
  return suggested.length === 0 ? '-f' : `-f -a ${quote(suggested.join(' '))}`
}

const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
