import { Argument, type Command } from 'commander'
import type { Shell } from '../actions/completion.js'
import type { Io } from '../io.js'
import { createCommand, lazyAction } from './shared/parts.js'

const initExamples = `
Examples:
  $ npx svc-streams init prices
      Write a project to the folder prices.
  $ cd prices && npm install && npm start
      Run its strategy on a local simulator. pnpm and Bun run the same scripts.
  $ npm test
      Run the test of the strategy.

The project has a strategy, a test of it with marbles, strict types and a .gitignore. The command overwrites no file: if one
of its files exists, it writes nothing.

Exit codes: 0 if the project was written, 1 otherwise.`

export const initCommand = (io: Io): Command =>
  createCommand(io, 'init', 'Write a project that runs: a strategy and its test.', initExamples)
    .addArgument(
      new Argument('[folder]', 'folder of the project; it is created if it is missing').default(
        '.',
        'this folder',
      ),
    )
    .action(lazyAction(io, async () => (await import('../actions/init.js')).writeProject))

const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

const completionExamples = `
Examples:
  $ source <(svc-streams completion bash)
      Complete commands, flags, values and files in this shell. For every shell, add the line to ~/.bashrc.
  $ source <(svc-streams completion zsh)
      For every shell, add the line to ~/.zshrc, after compinit.
  $ npx svc-streams completion fish > ~/.config/fish/completions/svc-streams.fish
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
    completionExamples,
  ).addArgument(new Argument('<shell>', 'shell that reads the script').choices(shells))
  return command.action(async (shell: Shell) => {
    const { printCompletion } = await import('../actions/completion.js')
    await printCompletion(io, command.parent ?? command, shell)
  })
}
