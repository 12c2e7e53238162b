import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { bundle, bundledPrograms } from './support/bundle.js'
import { run } from './support/run.js'

const packed = inject('packed')

test.each(bundledPrograms)(
  'a bundle of a client and a simulator as %s runs without the package',
  async (...program) => {
    const [file] = program
    // Outside of the user's folder, so that no package can be resolved.
    const folder = join(dirname(packed.user), 'bundles')
    const { warnings, errors } = await bundle(packed.user, folder, program)
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
