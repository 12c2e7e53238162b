import { expect, test } from 'vitest'
import { until } from '../simulator/support/dial.js'
import { sourceUrl, spawnNode } from '../simulator/support/spawn-node.js'

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the first %s is heard, the second ends the process at once',
  async (signal) => {
    const child = spawnNode(
      '--input-type=module',
      '--eval',
      `import { interrupted } from ${JSON.stringify(sourceUrl('cli/interrupt.ts').href)}
     setInterval(() => {}, 60000)
     const first = interrupted()
     console.log('ready')
     await first
     console.log('heard')`,
    )
    await until(() => child.stdout.includes('ready'))
    child.process.kill(signal)
    await until(() => child.stdout.includes('heard'))
    child.process.kill(signal)
    expect(await child.ended()).toBe(signal)
  },
)

test('others who listen see that somebody takes care of the signal', async () => {
  const child = spawnNode(
    '--input-type=module',
    '--eval',
    `import { interrupted } from ${JSON.stringify(sourceUrl('cli/interrupt.ts').href)}
     setInterval(() => {}, 60000)
     const first = interrupted()
     process.on('SIGINT', () => console.log('listeners', process.listenerCount('SIGINT')))
     console.log('ready')
     await first`,
  )
  await until(() => child.stdout.includes('ready'))
  child.process.kill('SIGINT')
  await until(() => child.stdout.includes('listeners'))
  expect(child.stdout).toContain('listeners 2')
})
