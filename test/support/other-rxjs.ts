import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type * as rxjs from 'rxjs'

export type Rxjs = typeof rxjs

const require = createRequire(import.meta.url)

/** Bundles a second copy of RxJS from its files for a module system, and loads it. */
const loadCopy = async (file: string, conditions: string[], load: (path: string) => unknown) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-rxjs-'))
  const outfile = join(folder, file)
  const format = file.endsWith('.mjs') ? 'esm' : 'cjs'
  const stdin = { contents: "export * from 'rxjs'", resolveDir: import.meta.dirname }
  await build({ stdin, bundle: true, platform: 'neutral', format, conditions, outfile })
  const copy = (await load(outfile)) as Rxjs
  rmSync(folder, { recursive: true })
  return copy
}

let commonJs: Promise<Rxjs> | undefined
let esModules: Promise<Rxjs> | undefined

/** Other copies of RxJS than the one that the library imports, as a second installation or a bundler creates them. */
export const otherCopies: Readonly<Record<'CommonJS' | 'ES modules', () => Promise<Rxjs>>> = {
  CommonJS: () => (commonJs ??= loadCopy('rxjs.cjs', ['require'], require)),
  'ES modules': () =>
    (esModules ??= loadCopy(
      'rxjs.mjs',
      ['es2015', 'import'],
      (path) => import(/* @vite-ignore */ pathToFileURL(path).href),
    )),
}
