import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { notesOf } from '../../scripts/release/notes.js'

const changelog = [
  '# Changelog',
  '## 1.2.0, not released yet',
  '- Later.',
  '## 1.1.0, 2026-10-01',
  '- A line\n  that continues.',
  '### Detail',
  '- Another.',
  '## 1.0.0',
  '## 0.9.0',
  'The first release.',
].join('\n\n')

it('the notes of a release are the section of its version', () => {
  expect(notesOf(changelog, '1.1.0')).toBe('- A line\n  that continues.\n\n### Detail\n\n- Another.\n')
  expect(notesOf(changelog, '0.9.0')).toBe('The first release.\n')
})

it.each([
  ['1.2.0', 'the heading of CHANGELOG.md is "## 1.2.0, not released yet"'],
  ['1.1', 'CHANGELOG.md has no section "## 1.1"'],
  ['1.0.0', 'CHANGELOG.md has no changes below "## 1.0.0"'],
])('a release of version %s fails: %s', (version, problem) => {
  expect(() => notesOf(changelog, version)).toThrow(problem)
})

it('the changelog of the project has notes for its version, once its heading says that it is released', () => {
  const page = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const own = page.replace(', not released yet', '')
  expect(notesOf(own, '0.1.0')).toMatch(/^The first release\.\n[^]*\S\n$/)
  expect(notesOf(own, '0.1.0')).not.toContain('\n## ')
})
