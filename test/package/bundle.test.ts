import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Format } from 'esbuild'
import { expect, inject, test } from 'vitest'
import { run } from './support/run.js'

const packed = inject('packed')

/** Defines `require`, which the CommonJS packages in an ES module need for the modules of Node. */
const defineRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

const formats: readonly [Format, string, banner: string][] = [
  ['cjs', 'live.cjs', ''],
  ['esm', 'live.mjs', defineRequire],
]

test.each(formats)(
  'a bundle of a client and a simulator as %s runs without the package',
  async (format, file, banner) => {
    // Outside of the user's folder, so that no package can be resolved.
    const folder = join(dirname(packed.user), 'bundles')
    await mkdir(folder, { recursive: true })
    const { warnings, errors } = await build({
      absWorkingDir: packed.user,
      entryPoints: [`programs/${file}`],
      outfile: join(folder, file),
      bundle: true,
      platform: 'node',
      target: 'node20',
      format,
      banner: { js: banner },
      logLevel: 'silent',
    })
    expect({ warnings, errors }).toEqual({ warnings: [], errors: [] })
    expect(await readdir(folder)).not.toContain('node_modules')
    const { code, stdout, stderr } = await run('node', [file], { cwd: folder, timeout: 30_000 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      price: { topic: 'svc-0xAb', price: expect.any(Number) as number },
      depth: { mint: '0xAb' },
      error: 'SubscriptionRejected',
      recorded: expect.any(Number) as number,
    })
  },
)
