// Prints what svc-streams throws for streams of a second installation of RxJS.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom } from 'rxjs'
import { ConfigurationError } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { createTestClient } from 'svc-streams/testing'

const folder = mkdtempSync(join(tmpdir(), 'two-rxjs-'))
cpSync('node_modules/rxjs', join(folder, 'node_modules/rxjs'), { recursive: true })
const other = createRequire(join(folder, 'strategy.js'))('rxjs')
rmSync(folder, { recursive: true })

const topic = 'svc-0xab'
const header = { _tag: 'Recording', version: 1, at: 0, topics: [topic], mints: [], interval: 1000 }

const thrownBy = async (use) => {
  try {
    await use()
  } catch (error) {
    return [error instanceof ConfigurationError, error.message.split(',')[0]]
  }
}

const run = (strategy) =>
  thrownBy(() =>
    lastValueFrom(replay(new Set([JSON.stringify(header)]), { speed: Infinity }).run$(strategy), {
      defaultValue: 0,
    }),
  )

console.log(
  JSON.stringify({
    testClient: await thrownBy(() => createTestClient({ prices: { [topic]: other.NEVER } })),
    returned: await run(() => other.interval(1000)),
    operator: await run((client) => client.price$(topic).pipe(other.auditTime(1000))),
    own: (await run((client) => client.price$(topic))) ?? 'completes',
  }),
)
