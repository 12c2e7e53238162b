import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
    const asRoot = [...text.matchAll(/run: sudo .*\.ci\/run\n\s+- run: (.+)/g)]
    expect(asRoot.map(([, next]) => next)).toEqual(asRoot.map(() => 'sudo chown -R "$(id -u)" .'))
    expect(asRoot).toHaveLength([...text.matchAll(/\.ci\/run$/gm)].length)
  })

  it('tests folders that exist', () => {
    for (const [, folders = ''] of text.matchAll(/vitest run (.+)/g))
      for (const path of folders.split(' '))
        expect(readdirSync(new URL(`../../${path}`, import.meta.url))).not.toEqual([])
  })

  it('runs scripts that exist', () => {
    for (const [, script = ''] of text.matchAll(/--import tsx (\S+)/g))
      expect(existsSync(new URL(`../../${script}`, import.meta.url)), script).toBe(true)
  })
})

it('a push to main alone publishes the site', () => {
  const text = readFileSync(new URL('site.yml', folder), 'utf8')
  expect(text).toContain('on:\n  push:\n    branches: [main]\n')
  const steps = ['npm ci', 'npm run docs', 'path: docs/site', 'actions/deploy-pages@']
  const positions = steps.map((step) => text.indexOf(step))
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
})

it('a release is a commit of main, with the notes of its version', () => {
  const text = readFileSync(new URL('release.yml', folder), 'utf8')
  const steps = [
    'fetch-depth: 0',
    'git merge-base --is-ancestor HEAD origin/main',
    'scripts/release-notes.ts > "$RUNNER_TEMP/notes.md"',
    '.ci/run',
    'npm sbom',
    'npm publish',
    '--notes-file "$RUNNER_TEMP/notes.md"',
  ]
  const positions = steps.map((step) => text.indexOf(step))
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
})
