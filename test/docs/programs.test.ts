import { describe, expect, it, onTestFinished } from 'vitest'
import { blocksOfPage } from './support/markdown.js'
import { userFolder, type UserFolder } from './support/user-folder.js'

// The programs of the guides, saved and started as the guides say.

const folderOf = (guide: string): UserFolder => {
  const folder = userFolder(blocksOfPage(`docs/guides/${guide}.md`))
  onTestFinished(folder.remove)
  return folder
}

describe('the first price', { timeout: 60_000 }, () => {
  it('is printed, five times', async () => {
    const { code, output } = await folderOf('first-price').node('--import', 'tsx', 'first-price.ts')
    expect(output).toMatch(/^(?:\d+(?:\.\d+)?\n){5}$/)
    expect(code).toBe(0)
  })

  it('comes again after a drop', async () => {
    const { code, output } = await folderOf('first-price').node('--import', 'tsx', 'a-drop.ts')
    expect(output).toMatch(
      /^(?:[\d.]+ epoch 1\n)+Disconnected: connection down \(1006: .*\); attempt 2 in \d+ ms\n(?:[\d.]+ epoch 2\n)+$/,
    )
    expect(output.trimEnd().split('\n')).toHaveLength(8)
    expect(code).toBe(0)
  })
})

it(
  'a loss ends what has it as an Rx error, and what has it as a value goes on',
  { timeout: 60_000 },
  async () => {
    const { code, output } = await folderOf('why-left').node('--import', 'tsx', 'across-a-drop.ts')
    const [, values, errors] =
      /^as values: (\d+); as errors: (\d+); both tokens together: is over\n$/.exec(output) ?? []
    expect(Number(values), output).toBeGreaterThan(Number(errors))
    expect(code).toBe(0)
  },
)

describe('the tests of a strategy pass', { timeout: 60_000 }, () => {
  it.each(['strategy.node.test.ts', 'reconnect.node.test.ts', 'service.node.test.ts'])(
    'with the runner of Node: %s',
    async (file) => {
      const { code, output } = await folderOf('testing').node('--import', 'tsx', '--test', file)
      expect(output).toContain('pass 1')
      expect(code, output).toBe(0)
    },
  )

  it('with Vitest', async () => {
    const vitest = 'node_modules/vitest/vitest.mjs'
    const { code, output } = await folderOf('testing').node(vitest, 'run', 'strategy.test.ts')
    expect(output).toContain('1 passed')
    expect(code, output).toBe(0)
  })
})
