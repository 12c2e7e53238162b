import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const folder = new URL('../../.github/workflows/', import.meta.url)

describe.each(readdirSync(folder))('the workflow %s', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')

  it('uses each action by the hash of a commit', () => {
    const actions = [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action)
    expect(actions.length).toBeGreaterThan(1)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('reads no secret, and may write nothing unless a job says so', () => {
    expect(text).not.toContain('secrets.')
    expect(text).toContain('\npermissions:\n  contents: read\n')
  })

  it('gives the files back that its checks have written as root', () => {
    const next = [...text.matchAll(/run: sudo .*\.ci\/run\n\s+- run: (.+)/g)].map(([, command]) => command)
    expect(next).toEqual(['sudo chown -R "$(id -u)" .'])
  })

  it('tests folders that exist', () => {
    for (const [, folders = ''] of text.matchAll(/vitest run (.+)/g))
      for (const path of folders.split(' '))
        expect(readdirSync(new URL(`../../${path}`, import.meta.url))).not.toEqual([])
  })
})
