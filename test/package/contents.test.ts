import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { installed } from './support/packed.js'

const packed = inject('packed')
const repository = new URL('../../', import.meta.url).pathname

const filesIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

const read = (file: string): Promise<string> => readFile(join(packed.package, file), 'utf8')

const sizeOf = async (files: readonly string[]): Promise<number> => {
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(packed.package, file))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

let files: readonly string[]
let modules: readonly string[]

beforeAll(async () => {
  files = await filesIn(packed.package)
  const sources = await filesIn(join(repository, 'src'))
  modules = sources.filter((file) => file.endsWith('.ts')).map((file) => file.replace(/\.ts$/, ''))
})

describe('the tarball', () => {
  test('contains the documents and the recorded market next to dist', () => {
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'examples/data/README.md',
      'examples/data/top-of-book.csv',
      'package.json',
    ])
  })

  test('contains each module of src with its map and its declarations in dist, and nothing else', () => {
    const expected = modules.flatMap((name) => ['.d.ts', '.js', '.js.map'].map((end) => `dist/${name}${end}`))
    expect(files.filter((file) => file.startsWith('dist/'))).toEqual([...expected].sort())
  })

  test('is smaller than 2 MB', async () => {
    expect(await sizeOf(files.filter((file) => file.startsWith('examples/data/')))).toBeLessThan(200_000)
    expect(await sizeOf(files)).toBeLessThan(2_000_000)
  })

  test('contains no path of the machine that built it', async () => {
    for (const file of files) expect(await read(file), file).not.toContain(repository)
  })

  test('contains every file that package.json refers to', async () => {
    const { exports, bin, types } = JSON.parse(await read('package.json')) as Record<string, unknown>
    const targets = JSON.stringify([exports, bin, types]).match(
      /(?:\.\/)?(?:dist\/[^"]+|package\.json(?=",|"}))/g,
    )
    const paths = new Set(targets?.map((target) => target.replace(/^\.\//, '')))
    expect(paths.size).toBeGreaterThanOrEqual(9)
    expect(files).toEqual(expect.arrayContaining([...paths]))
  })

  test('contains the command with a #! line', async () => {
    expect(await read('dist/cli/main.js')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

test('npm install installs the dependencies and the peers once each, and nothing else', async () => {
  const names = await readdir(join(packed.user, 'node_modules'))
  expect(names.filter((name) => !name.startsWith('.')).sort()).toEqual(installed)
  expect(await readdir(packed.package)).not.toContain('node_modules')
})

describe('source maps', () => {
  interface SourceMap {
    readonly sources: readonly string[]
    readonly sourcesContent?: readonly (string | null)[]
  }

  test('are named by each module and contain its source', async () => {
    for (const name of modules) {
      const file = name.split('/').at(-1) ?? ''
      expect((await read(`dist/${name}.js`)).trimEnd()).toContain(`\n//# sourceMappingURL=${file}.js.map`)
      const map = JSON.parse(await read(`dist/${name}.js.map`)) as SourceMap
      expect(map.sourcesContent, name).toEqual([
        await readFile(join(repository, 'src', `${name}.ts`), 'utf8'),
      ])
    }
  })
})

describe('the imports', () => {
  /** Without comments: examples in them may import other packages. */
  const importsOf = (text: string): readonly string[] =>
    [...text.replace(/\/\*[^]*?\*\//g, '').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      ([, name]) => name!,
    )

  /** The declarations that a user's compiler reads: those of the entry points and of their imports. */
  const publicDeclarations = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    const visit = async (file: string): Promise<void> => {
      if (found.has(file)) return
      const text = await read(file)
      found.set(file, text)
      const local = importsOf(text).filter((name) => name.startsWith('.'))
      for (const name of local) await visit(join(file, '..', name.replace(/\.js$/, '.d.ts')))
    }
    for (const folder of ['', 'operators/', 'testing/', 'recording/', 'simulator/'])
      await visit(`dist/${folder}index.d.ts`)
    return found
  }

  test('of the public declarations name no package but rxjs, fp-ts and io-ts', async () => {
    for (const [file, text] of await publicDeclarations()) {
      const packages = importsOf(text).filter((name) => !name.startsWith('.'))
      for (const name of packages) {
        expect(name, file).toMatch(/^(?:rxjs|fp-ts\/lib\/\w+\.js|io-ts\/lib\/index\.js)$/)
      }
    }
  })

  test('of the public declarations, and their types, need no types of Node', async () => {
    for (const [file, text] of await publicDeclarations()) {
      const code = text.replace(/\/\*[\s\S]*?\*\//g, '')
      expect(code, file).not.toMatch(/\bNodeJS\.|\bBuffer\b|node:|reference types/)
    }
  })

  test('of the code spell fp-ts and io-ts as plain Node resolves them', async () => {
    for (const name of modules) {
      const specifiers = importsOf(await read(`dist/${name}.js`)).filter((specifier) =>
        /^(?:fp|io)-ts/.test(specifier),
      )
      for (const specifier of specifiers) expect(specifier, name).toMatch(/^(?:fp|io)-ts\/lib\/\w+\.js$/)
    }
  })
})
