import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { installed } from './support/packed.js'
import { run } from './support/run.js'

const packed = inject('packed')
const repository = fileURLToPath(new URL('../../', import.meta.url))

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
  modules = sources
    .filter((file) => file.endsWith('.ts') && !/^(?:cli|dashboard|view)\//.test(file))
    .map((file) => file.replace(/\.ts$/, ''))
})

describe('the tarball', () => {
  test('contains the documents, the examples and the sources next to dist', async () => {
    const shipped = ['docs', 'examples', 'src'].map(async (folder) =>
      (await filesIn(join(repository, folder))).map((file) => `${folder}/${file}`),
    )
    const expected = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'RELEASING.md',
      'SECURITY.md',
      'bench/FAILURES.md',
      'bench/RESULTS.md',
      'package.json',
      ...(await Promise.all(shipped)).flat().filter((file) => !file.startsWith('docs/site/')),
    ]
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual(expected.sort())
  })

  test('contains the declarations of each module of src but those of the commands, and code in few files', () => {
    const declarations = files.filter((file) => /^dist\/.*\.d\.ts$/.test(file))
    expect(declarations).toEqual(modules.map((name) => `dist/${name}.d.ts`))
    const others = files.filter((file) => file.startsWith('dist/') && !declarations.includes(file))
    const page = others.filter((file) => file.startsWith('dist/dashboard/'))
    expect(page).toEqual(['index.html', 'main.css', 'main.js'].map((name) => `dist/dashboard/${name}`))
    const code = others.filter((file) => !page.includes(file) && !file.endsWith('.map'))
    for (const file of code) expect(file).toMatch(/\.js$|^dist\/(?:peers|ws)\.cjs$/)
    // Node needs almost half a millisecond for each file that it loads. Each command has a file, which only that command loads.
    expect(code.filter((file) => !file.startsWith('dist/browser/')).length).toBeLessThan(125)
  })

  test('contains the file of each relative link of the README', async () => {
    const links = [...(await read('README.md')).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, link]) => link,
    )
    expect(links.length).toBeGreaterThan(10)
    expect(files).toEqual(expect.arrayContaining(links))
  })

  test('contains each image of the README, and no other form of link', async () => {
    const text = (await read('README.md')).replace(/^```[^]*?^```$/gm, '')
    const images = [...text.matchAll(/!\[[^\]]*\]\((?!https?:)([^)]+)/g)].map(([, image]) => image)
    expect(images.length).toBeGreaterThan(0)
    expect(files).toEqual(expect.arrayContaining(images))
    // The other forms would need tests of their own.
    expect(text).not.toMatch(/<(?:img|a)\b|^\[[^\]]+\]:/m)
  })

  test('names the public repository, its issues and its home page', async () => {
    const manifest = JSON.parse(await read('package.json')) as Record<string, unknown>
    const home = 'https://github.com/svc-streams/svc-streams'
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${home}.git` },
      bugs: `${home}/issues`,
      homepage: `${home}#readme`,
    })
  })

  test('runs no script of its own when it is installed', async () => {
    const { scripts } = JSON.parse(await read('package.json')) as { readonly scripts: object }
    const names = Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))
    expect(names).toEqual([])
  })

  test('is smaller than 8 MB', async () => {
    expect(await sizeOf(files.filter((file) => file.startsWith('examples/data/')))).toBeLessThan(200_000)
    expect(await sizeOf(files)).toBeLessThan(8_000_000)
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

test('each file of code has a source map, whose sources are in the package', async () => {
  const maps = files.filter((file) => file.endsWith('.map'))
  const referring = files.filter((file) => /^dist\/(?!dashboard\/).*\.js$/.test(file))
  const mapped: string[] = []
  for (const file of referring) {
    const [, map] = /^\/\/# sourceMappingURL=(.+\.js\.map)$/m.exec(await read(file)) ?? []
    if (map !== undefined) mapped.push(join(file, '..', map))
  }
  expect(mapped).toEqual(maps.map((map) => join(map)))
  expect(maps.length).toBeGreaterThan(50)
  for (const map of maps) {
    const { sources } = JSON.parse(await read(map)) as { readonly sources: readonly string[] }
    expect(files).toEqual(expect.arrayContaining(sources.map((source) => join(map, '..', source))))
  }
})

test('an error has the line of the source in its stack', async () => {
  const code = `import { createClient } from 'svc-streams'; createClient({ environment: 'mainnet', priceBaseUrl: 'x' })`
  const args = ['--enable-source-maps', '--input-type=module', '-e', code]
  const { stderr } = await run('node', args, { cwd: packed.user })
  const [, line] = /src\/client\/create-client\.ts:(\d+):/.exec(stderr) ?? []
  const source = await readFile(join(repository, 'src/client/create-client.ts'), 'utf8')
  expect(source.split('\n')[Number(line) - 1]).toContain('configure(')
})

describe('the imports', () => {
  /** Without comments: examples in them may import other packages. */
  const importsOf = (text: string): readonly string[] =>
    [...text.replace(/\/\*[^]*?\*\//g, '').matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map(
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
    const { exports } = JSON.parse(await read('package.json')) as {
      readonly exports: Readonly<Record<string, string | { readonly types: string }>>
    }
    for (const [path, target] of Object.entries(exports)) {
      // Only the users of this entry point have its peer.
      if (typeof target !== 'string' && path !== './opentelemetry') await visit(target.types)
    }
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

  test('of the code spell fp-ts and io-ts as plain Node resolves them, and as ES modules for browsers', async () => {
    for (const file of files.filter((name) => /^dist\/.*\.js$/.test(name))) {
      const specifiers = importsOf(await read(file)).filter((specifier) => /^(?:fp|io)-ts/.test(specifier))
      const isForBrowsers = file.startsWith('dist/browser/')
      const spelling = isForBrowsers ? /^(?:fp|io)-ts\/es6\/\w+\.js$/ : /^(?:fp|io)-ts\/lib\/\w+\.js$/
      for (const specifier of specifiers) expect(specifier, file).toMatch(spelling)
    }
  })
})
