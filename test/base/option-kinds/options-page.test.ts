import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { expect, it } from 'vitest'
import { optionsPage } from './support/options-page.js'

const page = fileURLToPath(new URL('../../../docs/reference/options.md', import.meta.url))

it('docs/reference/options.md has the name, unit, bounds, default and meaning of every option', async () => {
  const text = await format(optionsPage(), { ...(await resolveConfig(page)), parser: 'markdown' })
  await expect(text).toMatchFileSnapshot(page)
})
