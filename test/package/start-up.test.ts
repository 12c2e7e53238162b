import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { run } from './support/run.js'

// Every dependency is CommonJS, or loads CommonJS, and is then in the cache of `require`.

const packed = inject('packed')

const loadedBy = async (...args: readonly string[]): Promise<readonly string[]> => {
  const preload = ['--require', './programs/loaded-packages.cjs']
  const { code, stderr } = await run('node', [...preload, ...args], { cwd: packed.user, timeout: 30_000 })
  expect(code).toBe(0)
  return JSON.parse(stderr) as string[]
}

const program = (code: string): readonly string[] => ['--input-type=module', '-e', code]

const simulation = `
  import { firstValueFrom } from 'rxjs'
  import { createClient } from 'svc-streams'
  const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:9' })`

/** The files of the package that a file imports, and those that they import. */
const importedFiles = async (file: string, found = new Set<string>()): Promise<ReadonlySet<string>> => {
  if (found.has(file)) return found
  found.add(file)
  const text = await readFile(file, 'utf8')
  for (const [, name = ''] of text.matchAll(/^import .*"(\.[^"]+)";$/gm))
    await importedFiles(join(file, '..', name), found)
  return found
}

describe('svc-streams', () => {
  const atStart = ['fp-ts', 'io-ts', 'peers.cjs', 'rxjs', 'ws', 'ws.cjs']

  test('imports four files of its own', async () => {
    expect((await importedFiles(join(packed.package, 'dist/index.js'))).size).toBe(4)
  })

  test('imports no peer in a file of an entry point, because Node would read all its files for its names', async () => {
    const { exports } = JSON.parse(await readFile(join(packed.package, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, { readonly default?: string }>>
    }
    const entries = Object.values(exports).flatMap((entry) => entry.default ?? [])
    expect(entries).toHaveLength(13)
    const files = new Set<string>()
    for (const entry of entries) await importedFiles(join(packed.package, entry), files)
    const texts = await Promise.all([...files].map((file) => readFile(file, 'utf8')))
    expect(texts.join('\n').match(/^import .*"(?:rxjs|fp-ts|io-ts)\b.*$/gm)).toBe(null)
    expect(texts.join('\n').match(/^import .*"#peers".*$/gm)?.length).toBeGreaterThan(12)
  })

  test('names no internals of RxJS but those of one source file', async () => {
    const names = /rxjs\/internal\/[\w/]+/g
    const source = await readFile(new URL('../../src/base/time/clock.ts', import.meta.url), 'utf8')
    const required = await readFile(join(packed.package, 'dist/peers.cjs'), 'utf8')
    expect(required.match(names)?.sort()).toEqual(source.match(names)?.sort())
  })

  test('loads ws, and not undici, when it is imported', async () => {
    expect(await loadedBy(...program("import 'svc-streams'"))).toEqual(atStart)
  })

  test('loads nothing more when a client is created and closed', async () => {
    expect(await loadedBy(...program(`${simulation}; await client.close()`))).toEqual(atStart)
  })

  test('loads nothing more for a price stream', async () => {
    const code = `${simulation}; await firstValueFrom(client.price$('svc-0xaa')); await client.close()`
    expect(await loadedBy(...program(code))).toEqual(atStart)
  })

  test('loads undici for a request', async () => {
    const code = `${simulation}; await client.price('svc-0xaa')(); await client.close()`
    expect(await loadedBy(...program(code))).toEqual([...atStart, 'undici'].sort())
  })
})

describe('the command line', () => {
  const command = join('node_modules/svc-streams/dist/cli/main.js')

  test.each(['--version', '--help', 'help'])('loads only commander for %s', async (argument) => {
    expect(await loadedBy(command, argument)).toEqual(['commander'])
  })
})
