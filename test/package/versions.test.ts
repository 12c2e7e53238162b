import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { describeUnless } from '../support/run/skip.js'
import { compile } from './support/compile.js'
import { install } from './support/install.js'
import { run, runOrThrow } from './support/run.js'

const packed = inject('packed')
const root = dirname(packed.user)

describe('the oldest peers that package.json allows', async () => {
  const peers = ['rxjs@7.8.0', 'fp-ts@2.16.0', 'io-ts@2.2.20']
  const folder = await install(root, 'oldest-peers', [packed.tarball, ...peers])
  await cp(join(packed.user, 'programs'), join(folder, 'programs'), { recursive: true })

  test('are installed, without other versions', async () => {
    const tree = await runOrThrow('npm', ['ls', 'rxjs', 'fp-ts', 'io-ts', '--all', '--parseable', '--long'], {
      cwd: folder,
    })
    const installed = [...tree.matchAll(/:((?:rxjs|fp-ts|io-ts)@[^:\n]+)/g)].map(([, name]) => name)
    expect([...new Set(installed)].sort()).toEqual([...peers].sort())
  })

  test.each(['live.mjs', 'recordings.mjs'])('run %s', async (program) => {
    const { code, stderr } = await run('node', [`programs/${program}`], { cwd: folder, timeout: 30_000 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('compile a strict program', async () => {
    const files = ['programs/strict.mts']
    expect(await compile({ folder, tools: packed.tools, name: 'strict', files })).toEqual([])
  })
})

const platform = `${process.platform}-${process.arch}`

/** Uses the registry's packages of the `node` binary. */
const describeNode = describeUnless(
  ['linux-x64', 'linux-arm64'].includes(platform) ? undefined : `no package of Node for ${platform}`,
)

const nodes = [
  ['20.19.0', 'the oldest version that package.json allows'],
  ['22.13.0', 'the first 22.x that requires ESM without a warning'],
  ['24.11.0', 'a newer version'],
] as const

describeNode('Node', () => {
  let folder: string
  beforeAll(async () => {
    const packages = nodes.map(([version]) => `node-${version}@npm:node-${platform}@${version}`)
    folder = await install(root, 'nodes', packages)
  })

  test.each(nodes)('%s, %s, runs a live program by import and by require', async (version) => {
    const node = join(folder, 'node_modules', `node-${version}`, 'bin/node')
    expect(await runOrThrow(node, ['--version'], { cwd: packed.user })).toBe(`v${version}\n`)
    for (const program of ['live.mjs', 'live.cjs', 'instances.mjs']) {
      const { code, stdout, stderr } = await run(node, [`programs/${program}`], {
        cwd: packed.user,
        timeout: 30_000,
      })
      expect({ program, code, stderr }).toEqual({ program, code: 0, stderr: '' })
      expect(stdout).not.toContain('false')
    }
  })
})
