import { describe, expect, it, onTestFinished } from 'vitest'
import { blocksOfPage } from './support/markdown.js'
import { userFolder, type UserFolder } from './support/user-folder.js'

// Saves the programs of the guides as files and runs them as the guides describe.

const folderOf = (guide: string): UserFolder => {
  const folder = userFolder(blocksOfPage(`docs/guides/${guide}.md`))
  onTestFinished(folder.remove)
  return folder
}

describe('the guide to the first price', { timeout: 60_000 }, () => {
  it('prints five prices', async () => {
    const { code, output } = await folderOf('first-price').node('--import', 'tsx', 'first-price.ts')
    expect(output).toMatch(/^(?:\d+(?:\.\d+)?\n){5}$/)
    expect(code).toBe(0)
  })

  it('prints prices of a second connection after a drop', async () => {
    const { code, output } = await folderOf('first-price').node('--import', 'tsx', 'a-drop.ts')
    expect(output).toMatch(
      /^(?:[\d.]+ epoch 1\n)+Disconnected: connection down \(1006: .*\); attempt 2 in \d+ ms\n(?:[\d.]+ epoch 2\n)+$/,
    )
    expect(output.trimEnd().split('\n')).toHaveLength(8)
    expect(code).toBe(0)
  })
})

it(
  'a disconnect ends streams that receive it as an Rx error, and streams that receive a Left continue',
  { timeout: 60_000 },
  async () => {
    const { code, output } = await folderOf('why-left').node('--import', 'tsx', 'across-a-drop.ts')
    const [, values, errors] =
      /^as values: (\d+); as errors: (\d+); both tokens together: is over\n$/.exec(output) ?? []
    expect(Number(values), output).toBeGreaterThan(Number(errors))
    expect(code).toBe(0)
  },
)

describe('the tests of the testing guide pass', { timeout: 60_000 }, () => {
  it.each(['strategy.node.test.ts', 'reconnect.node.test.ts', 'service.node.test.ts'])(
    'with the test runner of Node: %s',
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
