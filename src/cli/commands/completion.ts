import { Argument, type Command } from 'commander'
import type { Shell } from '../actions/completion.js'
import type { Io } from '../io.js'
import { createCommand } from './parts.js'

const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

const examples = `
Examples:
  $ source <(svc-streams completion bash)
      Complete commands, flags, values and files in this shell. For every shell, add the line to ~/.bashrc.
  $ source <(svc-streams completion zsh)
      For every shell, add the line to ~/.zshrc, after compinit.
  $ svc-streams completion fish > ~/.config/fish/completions/svc-streams.fish
      Complete in every shell from now on.
  $ source <(npx svc-streams completion bash)
      Use the svc-streams that is installed in this project. The other shells take npx svc-streams, too.

The shell completes the command svc-streams, not npx svc-streams. For an installation in a project, add its folder of
commands to the path: PATH=$PWD/node_modules/.bin:$PATH

The script is made from the commands of the installed version.`

export const completionCommand = (io: Io): Command => {
  const command = createCommand(
    io,
    'completion',
    'Print the completion script of a shell.',
    examples,
  ).addArgument(new Argument('<shell>', 'shell that reads the script').choices(shells))
  return command.action(async (shell: Shell) => {
    const { printCompletion } = await import('../actions/completion.js')
    await printCompletion(io, command.parent ?? command, shell)
  })
}
