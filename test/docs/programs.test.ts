import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compiledPath } from '../support/process/node-process.js'
import { readPage, root, type Block } from './support/block.js'
import { blocksOfPage } from './support/markdown.js'
import { userFolder, type Exit, type UserFolder } from './support/user-folder.js'

// Saves the programs of the README and of the guides as files, and runs them: those of the README with the loader of the page.

/** A program of the examples, as a file of a guide. */
const example = (path: string): Block => {
  const code = readPage(`examples/${path}`)
  return { page: '', line: 0, file: basename(path), code }
}

/** Runs a program of the examples. */
const runExample = (path: string): Promise<Exit> => {
  const folder = userFolder([example(path)])
  onTestFinished(folder.remove)
  return folder.program(basename(path))
}

const folderOf = (page: string): UserFolder => {
  const folder = userFolder(blocksOfPage(page))
  onTestFinished(folder.remove)
  return folder
}

describe('the README', { timeout: 60_000 }, () => {
  it('prints three prices', async () => {
    const { code, output } = await folderOf('README.md').node('--import', 'tsx', 'prices.ts')
    expect(output).toMatch(/^(?:\d+(?:\.\d+)?\n){3}$/)
    expect(code).toBe(0)
  })

  it('has a strategy whose test passes', async () => {
    const { code, output } = await folderOf('README.md').node('--import', 'tsx', '--test', 'strategy.test.ts')
    expect(output).toContain('pass 1')
    expect(code, output).toBe(0)
  })
})

describe('the guide to the first price', { timeout: 60_000 }, () => {
  it('prints five prices', async () => {
    const { code, output } = await folderOf('docs/start/first-price.md').program('first-price.ts')
    expect(output).toMatch(/^(?:\d+(?:\.\d+)?\n){5}$/)
    expect(code).toBe(0)
  })

  it('prints prices of a second connection after a drop', async () => {
    const { code, output } = await folderOf('docs/start/first-price.md').program('a-drop.ts')
    expect(output).toMatch(
      /^(?:[\d.]+ epoch 1\n)+Disconnected: connection down \(1006: .*\); attempt 2 in \d+ ms\n(?:[\d.]+ epoch 2\n)+$/,
    )
    expect(output.trimEnd().split('\n')).toHaveLength(8)
    expect(code).toBe(0)
  })
})

describe('the guide to errors', { timeout: 60_000 }, () => {
  it('causes prices that are behind', async () => {
    const { code, output } = await runExample('faults/behind.ts')
    expect(output).toMatch(/^(?:Stale: svc-0x[\da-f]{40}: the prices may be \d+\.\d s behind;.*\n){2}$/)
    expect(code).toBe(0)
  })
})

it('the transport of the example for proxies bounds the age of prices', { timeout: 60_000 }, async () => {
  const code = [
    "import { Agent } from 'node:http'",
    "import { webSocketBy } from './web-socket-by.js'",
    example('faults/behind.ts').code.replace(
      'maxLag: 1_000',
      'maxLag: 1_000, webSocket: webSocketBy(new Agent())',
    ),
  ].join('\n')
  const folder = userFolder([
    example('proxy/web-socket-by.ts'),
    { page: '', line: 0, file: 'behind.ts', code },
  ])
  onTestFinished(folder.remove)
  const { code: exit, output } = await folder.program('behind.ts')
  expect(output).toMatch(/^(?:Stale: svc-0x[\da-f]{40}: the prices may be \d+\.\d s behind;.*\n){2}$/)
  expect(exit).toBe(0)
})

describe('the guide to commands', { timeout: 60_000 }, () => {
  it('has commands that need no service and succeed, in their order', async () => {
    const page = 'docs/reference/commands.md'
    const [, block = ''] = /## Without a service[^]*?```sh\n([^]*?)```/.exec(readPage(page)) ?? []
    const commands = [...block.matchAll(/^npx svc-streams ([^#\n]+?) *(?:#.*)?$/gm)].map(
      ([, line = '']) => line,
    )
    expect(commands.length).toBeGreaterThan(5)
    const folder = folderOf(page)
    for (const command of commands) {
      const { code, output } = await folder.node(compiledPath('src/cli/main.ts'), ...command.split(' '))
      expect(code, `${command}: ${output}`).toBe(0)
    }
  })
})

describe('the guide to the gateway', { timeout: 60_000 }, () => {
  it('prints a price of its consumer', async () => {
    const { code, output } = await folderOf('docs/operate/gateway.md').program('gateway.ts')
    expect(output).toMatch(/^\d+(?:\.\d+)? 1\n$/)
    expect(code).toBe(0)
  })
})

describe('the guide to the history', { timeout: 60_000 }, () => {
  it('prints the candles of past and live prices as one sequence', async () => {
    const { code, output } = await folderOf('docs/strategies/history.md').node(
      '--import',
      'tsx',
      'candles.ts',
    )
    const windows = [...output.matchAll(/from: (\d+),\s+to: (\d+)/g)].map(([, from, to]) => [
      Number(from),
      Number(to),
    ])
    expect(windows, output).toHaveLength(8)
    for (const [index, [from]] of windows.slice(1).entries()) expect(from).toBe(windows[index]?.[1])
    expect(code).toBe(0)
  })
})

it(
  'a disconnect ends streams that receive it as an Rx error, and streams that receive a Left continue',
  { timeout: 60_000 },
  async () => {
    const { code, output } = await runExample('faults/across-a-drop.ts')
    const [, values, errors] =
      /^as values: (\d+); as errors: (\d+); both tokens combined: ended\n$/.exec(output) ?? []
    expect(Number(values), output).toBeGreaterThan(Number(errors))
    expect(code).toBe(0)
  },
)

it('the guide to a backtest has a strategy whose test passes', { timeout: 60_000 }, async () => {
  const { code, output } = await folderOf('docs/strategies/backtest.md').tests('dip.node.test.ts')
  expect(output).toContain('pass 1')
  expect(code, output).toBe(0)
})

describe('the tests of the testing guide pass', { timeout: 60_000 }, () => {
  it('with the test runner of Node', async () => {
    // One run for all files: each run starts one process more than it has files.
    const files = ['stale-data.node.test.ts', 'service.node.test.ts']
    const { code, output } = await folderOf('docs/strategies/test.md').tests(...files)
    expect(output).toContain(`pass ${files.length}`)
    expect(code, output).toBe(0)
  })

  it('with Vitest', async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const { code, output } = await folderOf('docs/strategies/test.md').node(vitest, 'run', 'strategy.test.ts')
    expect(output).toContain('1 passed')
    expect(code, output).toBe(0)
  })
})
