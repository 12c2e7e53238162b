import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newFile } from './new-file.js'
import { runCommand, startCommand } from './command.js'
import { eventually } from '../../support/time/eventually.js'

/** A shell whose completion is tested. */
export type Shell = 'bash' | 'zsh' | 'fish'

const paths = (process.env['PATH'] ?? '').split(':')

/** The shells of this machine. `bash` is one of them; the script `.ci/run` installs the others where it can. */
export const installedShells: readonly Shell[] = (['bash', 'zsh', 'fish'] as const).filter((shell) =>
  paths.some((path) => existsSync(`${path}/${shell}`)),
)

const scripts = new Map<Shell, string>()

export const completionScript = async (shell: Shell): Promise<string> => {
  const known = scripts.get(shell)
  if (known !== undefined) return known
  const { code, stdout, stderr } = await runCommand(['completion', shell])
  if (code !== 0) throw new Error(stderr)
  scripts.set(shell, stdout)
  return stdout
}

const prompt = 'READY> '

/** A function instead of the command prints its arguments. */
const startFiles: Readonly<Record<Shell, string>> = {
  bash: `PS1='${prompt}'; svc-streams() { printf 'ARGUMENTS'; printf '<%s>' "$@"; printf 'END'; }\n`,
  zsh: `PS1='${prompt}'; autoload -Uz compinit; compinit -u -D; svc-streams() { printf 'ARGUMENTS'; printf '<%s>' "$@"; printf 'END'; }\n`,
  fish: `function fish_prompt; printf '${prompt}'; end; function svc-streams; printf 'ARGUMENTS'; printf '<%s>' $argv; printf 'END'; end\n`,
}

/**
 * Types keys in an interactive shell on a pseudo-terminal that has read the completion script. Returns the arguments of
 * the command line, which must end with a newline. The shell runs in a folder with these files.
 */
export const typeInShell = async (
  shell: Shell,
  keys: string,
  files: readonly string[] = [],
): Promise<readonly string[]> => {
  const startFile = newFile(
    shell === 'zsh' ? '.zshrc' : 'start',
    startFiles[shell] + (await completionScript(shell)),
  )
  const folder = newFile('folder')
  mkdirSync(folder)
  for (const file of files) writeFileSync(join(folder, file), '')
  const commands: Readonly<Record<Shell, string>> = {
    bash: `bash --noprofile --rcfile '${startFile}' -i`,
    zsh: `zsh -d -i`,
    fish: `fish --no-config --interactive --init-command 'source ${startFile}'`,
  }
  const terminal = startCommand(
    [
      'script',
      '--quiet',
      '--return',
      '--command',
      `cd '${folder}' && stty cols 200 rows 40 && exec ${commands[shell]}`,
      '/dev/null',
    ],
    { TERM: 'xterm', ZDOTDIR: dirname(startFile), HOME: folder },
  )
  await eventually(() => terminal.stdout.includes(prompt))
  terminal.process.stdin?.write(keys)
  // The shell writes the arguments in pieces.
  const printed = /ARGUMENTS(<[^]*>)END/
  await eventually(() => printed.test(terminal.stdout))
  const [, line = ''] = printed.exec(terminal.stdout) ?? []
  // A shell writes its history into its folder when it ends, which must be before the folder is removed.
  terminal.process.stdin?.write('exit\n')
  await terminal.waitForExit()
  return Array.from(line.matchAll(/<([^>]*)>/g), ([, argument = '']) => argument)
}
