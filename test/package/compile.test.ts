import { describe, expect, inject, test } from 'vitest'
import { misuses } from './misuses.js'
import { operatorMisuses } from './operator-misuses.js'
import { compile, compilers, writeSources } from './support/compile.js'
import { entryPoints, folderFor } from './support/packed.js'

const packed = inject('packed')
const files = ['programs/strict.mts', 'programs/strict-operators.mts']
const user = { folder: packed.user, tools: packed.tools }

test.each(compilers)('TypeScript $version compiles strict programs', async (compiler) => {
  expect(await compile({ ...user, name: `strict-${compiler.version}`, files, compiler })).toEqual([])
})

test('TypeScript compiles strict programs with the settings of a bundler and the types of a browser', async () => {
  const options = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }
  expect(await compile({ ...user, name: 'bundler', files, options })).toEqual([])
})

test('TypeScript compiles a replay of a response, without the async iterators of a browser', async () => {
  const program = `
import { replay } from 'svc-streams/recording'
export const replayed = async () => {
  const { body } = await fetch('market.ndjson')
  return body === null ? undefined : replay(body)
}
`
  const files = await writeSources(packed.user, 'response', { 'replay.ts': program })
  const options = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] }
  expect(await compile({ ...user, name: 'response', files, options })).toEqual([])
})

test.each(entryPoints)('%s compiles without the types of Node or of a browser', async (entryPoint) => {
  const name = entryPoint.replace('/', '-')
  const files = await writeSources(folderFor(entryPoint, packed), name, {
    'entry-point.ts': `import * as entryPoint from '${entryPoint}'\nexport const names = Object.keys(entryPoint)\n`,
    // The only global of a platform that rxjs needs.
    'platform.d.ts': 'declare function setTimeout(handler: () => void, ms?: number): number\n',
  })
  const project = { folder: folderFor(entryPoint, packed), tools: packed.tools }
  expect(await compile({ ...project, name, files, options: { types: [] } })).toEqual([])
})

test('TypeScript finds the types of each entry point with the module resolution of Node 10', async () => {
  const names = entryPoints.filter((entryPoint) => folderFor(entryPoint, packed) === packed.user)
  const imports = names.map((name, index) => `import * as entry${index} from '${name}'\n`).join('')
  const list = names.map((_, index) => `entry${index}`).join(', ')
  const sources = { 'all.ts': `${imports}export const entries = [${list}]\n` }
  const files = await writeSources(packed.user, 'node10', sources)
  const options = { module: 'commonjs', moduleResolution: 'node10', verbatimModuleSyntax: false }
  const compiler = compilers[0]!
  expect(await compile({ ...user, name: 'node10', files, options, compiler })).toEqual([])
})

test('TypeScript compiles a CommonJS program with import and with require', async () => {
  const files = await writeSources(packed.user, 'commonjs', {
    'by-import.cts': "import { createClient } from 'svc-streams'\nexport const create = createClient\n",
    'by-require.cts':
      "import simulator = require('svc-streams/simulator')\nexport const start = simulator.startSimulator\n",
  })
  const options = { verbatimModuleSyntax: false }
  expect(await compile({ ...user, name: 'commonjs', files, options })).toEqual([])
})

describe('a compile error occurs for', async () => {
  const named = [...misuses, ...operatorMisuses].map((misuse, index) => ({ ...misuse, file: `${index}.ts` }))
  const sources = Object.fromEntries(named.map(({ file, code }) => [file, code]))
  const errors = await compile({
    ...user,
    name: 'misuse',
    files: await writeSources(packed.user, 'misuse', sources),
  })

  test.each(named)('$name', ({ file, error }) => {
    const own = errors.filter((text) => text.startsWith(`misuse/${file}(`))
    expect(own).toEqual([expect.stringMatching(error)])
  })

  test('nothing else', () => {
    expect(errors.filter((text) => !text.startsWith('misuse/'))).toEqual([])
  })
})
