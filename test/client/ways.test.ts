import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, inject, it } from 'vitest'
import { root } from '../docs/support/block.js'
import { spawnNode } from '../support/process/node-process.js'
import { startTestSimulator } from '../support/simulator.js'
import { usdc, wbtc, weth } from '../support/tokens.js'

// The ways of a call, as CONTRIBUTING.md describes them: the files and the functions that V8 has run.

/** The most files that a way may run. A subscribe ends when its frame is handed to the transport. */
const mostFiles: Readonly<Record<string, number>> = {
  'a depth poll, with the dial': 22,
  'a depth poll': 20,
  'a subscribe, with the dial': 25,
  'a subscribe': 15,
  'a confirmation and the first price': 22,
  'a price': 7,
}

/** The functions of each way, by the file in `src`. */
type Ways = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

const program = 'test/client/support/ways-program.ts'

/** Compiles the core, one file for each source file. Returns the path of the program. */
const compile = async (): Promise<string> => {
  const outdir = mkdtempSync(join(inject('compiledCopy'), 'ways-'))
  const sourcesOf = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`)
  await build({
    absWorkingDir: root,
    entryPoints: [...['src/base', 'src/wire', 'src/client'].flatMap(sourcesOf), program],
    outbase: root,
    outdir,
    format: 'esm',
    target: 'node20',
  })
  return join(outdir, program.replace(/ts$/, 'js'))
}

const runWays = async (): Promise<Ways> => {
  const tokens = [weth, wbtc, usdc] as const
  const simulator = await startTestSimulator({ tokens, tick: 50 })
  const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = simulator
  const child = spawnNode([await compile(), baseUrl, priceBaseUrl, priceWsUrl, authKey, ...tokens])
  expect(await child.waitForExit(), child.output).toBe(0)
  return JSON.parse(child.stdout) as Ways
}

it('each way runs at most its number of files', async () => {
  const ways = await runWays()
  for (const [name, functions] of Object.entries(ways)) {
    const files = Object.keys(functions)
    const count = Object.values(functions).flat().length
    console.log(`${name}: ${count} functions in ${files.length} files, limit ${mostFiles[name]}`)
    for (const file of files) console.log(`  ${file}: ${functions[file]?.join(', ')}`)
  }
  expect(Object.keys(ways)).toEqual(Object.keys(mostFiles))
  for (const [name, most] of Object.entries(mostFiles)) {
    const files = Object.keys(ways[name] ?? {})
    expect(files.length).toBeGreaterThan(5)
    expect(files.length, `${name}\n${files.join('\n')}`).toBeLessThanOrEqual(most)
  }
})
