import { expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
import { filesBelow, readPage } from './support/block.js'

/** `operations.test.ts` runs the commands of the runbooks, in a shell. */
const pages = filesBelow('docs', '.md').filter((page) => !page.startsWith('docs/operate/runbooks/'))

const lines = pages.flatMap((page) =>
  [...readPage(page).matchAll(/^npx svc-streams ([^#\n]+?) *(?:#.*)?$/gm)].map(([, line = '']) => line),
)

/** The commands of the files of examples/deploy. */
const deployed = [
  ...readPage('examples/deploy/svc-streams-gateway@.service').matchAll(/^ExecStart=.*main\.js (.*)$/gm),
  ...readPage('examples/deploy/compose.yml').matchAll(/^ +command: ((?:gateway|dashboard) .*)$/gm),
].map(([, line = '']) => line.replaceAll('%i', '8081'))

it('has commands', () => {
  expect(deployed).toHaveLength(3)
  expect(lines.length).toBeGreaterThan(10)
})

/** The arguments that a command does not know, with its action replaced. */
const parse = async (line: string): Promise<string> => {
  const words = line.match(/'[^']*'|\S+/g) ?? []
  const [name = '', ...args] = words.map((word) => word.replaceAll("'", ''))
  const command = (await createProgram(process, 'all')).commands.find((each) => each.name() === name)
  if (command === undefined) return `unknown command ${name}`
  let problem = 'the command has not run'
  command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action(() => void (problem = ''))
  await command.parseAsync(args, { from: 'user' }).catch((error: unknown) => (problem = String(error)))
  return problem
}

it.each([...lines, ...deployed])('accepts the command of a page: %s', async (line) => {
  expect(await parse(line)).toBe('')
})

it('rejects a flag that does not exist', async () => {
  expect(await parse('gateway --prot 8080')).toContain("unknown option '--prot'")
})
