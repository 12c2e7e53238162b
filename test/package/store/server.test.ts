import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { installedCommand, run, runOrThrow } from '../support/run.js'
import { startStoreMarket } from '../support/store-pages.js'

const { bundlers: folder } = inject('packed')
const out = join(folder, 'out/server')

beforeAll(async () => {
  const args = ['build', 'store', '--config', 'store/render/vite.config.js', '--outDir', out]
  await runOrThrow(installedCommand(folder, 'vite'), args, { cwd: folder })
})

test.each(['react', 'svelte'])(
  'a server that renders the store page for %s shows all prices as waiting, and opens no connection',
  async (framework) => {
    const { simulator, query } = await startStoreMarket()
    // The process ends by itself: no connection keeps it.
    const html = await runOrThrow('node', [join(out, `${framework}.mjs`), query], {
      cwd: folder,
      timeout: 30_000,
    })
    const rows = [...html.matchAll(/<tr data-state="waiting">(.*?)<\/tr>/gs)].map(([, cells = '']) =>
      [...cells.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text = '']) => text.replace(/<.*?>/g, '')),
    )
    expect(rows).toEqual(Array.from({ length: 50 }, (_, index) => [`T${index + 1}`, '–', '–', 'waiting']))
    expect(simulator.upgrades).toBe(0)
  },
)

test('svelte-check finds no error in the store pages, those for React and without a framework included', async () => {
  const args = ['--workspace', 'store', '--tsconfig', './tsconfig.json']
  const { code, stdout } = await run(installedCommand(folder, 'svelte-check'), args, { cwd: folder })
  expect(stdout).toContain('svelte-check found 0 errors and 0 warnings')
  expect(code).toBe(0)
})
