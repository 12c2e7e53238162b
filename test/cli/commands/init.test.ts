import { readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../support/in-process.js'
import { newFile } from '../support/new-file.js'

/** Runs `init`. Returns its exit code and its output. */
const init = (folder: string) => runInProcess(['init', folder])

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).map((file) => file.replaceAll(sep, '/')).sort()

const files = [
  '.gitignore',
  'README.md',
  'package.json',
  'pnpm-workspace.yaml',
  'src',
  'src/main.ts',
  'src/paper.ts',
  'src/strategy.test.ts',
  'src/strategy.ts',
  'tsconfig.json',
]

describe('init', () => {
  it('writes a project with a strategy and its test, and prints the next steps', async () => {
    const folder = newFile('My Prices')
    const { stdout } = await init(folder)
    expect(await filesIn(folder)).toEqual(files)
    expect(stdout).toMatch(
      /^Wrote (?:.*, )?package\.json\b.*\n\nNext:\n {2}cd .*\n {2}npm install\n {2}npm start\n {2}npm test\n {2}npm run paper\n$/,
    )
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(manifest).toMatchObject({ name: 'my-prices', allowScripts: { esbuild: false } })
    expect(Object.keys(manifest.dependencies)).toEqual(['svc-streams', 'rxjs', 'fp-ts', 'io-ts'])
  })

  it('prints a step that changes to a folder with a space', async () => {
    const { stdout } = await init(newFile("My Desk's Ü"))
    expect(stdout).toMatch(/\n {2}cd '.*My Desk'\\''s Ü'\n/)
  })

  it('rejects an empty name, such as that of a variable that is not set', async () => {
    const { code, stderr } = await init('')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: folder: expected a name, or \. for this folder; it is empty\n/),
    ])
  })

  it('names a folder that cannot be written', async () => {
    const { code, stderr } = await init(join(newFile('notes.txt', 'mine'), 'prices'))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: \S+prices\S+ cannot be written: not a directory\n$/),
    ])
  })

  it('adds its files to a folder that has others', async () => {
    const folder = dirname(newFile('notes.txt', 'mine'))
    expect(await init(folder)).toMatchObject({ code: 0 })
    expect(await filesIn(folder)).toEqual([...files, 'notes.txt'].sort())
  })

  it.each(files.filter((file) => !file.startsWith('src')))('writes nothing if %s exists', async (file) => {
    const folder = dirname(newFile(file, 'mine'))
    const { code, stderr } = await init(folder)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`nothing was written, because ${file} exists in ${folder}`),
    ])
    expect(await filesIn(folder)).toEqual([file])
    expect(readFileSync(join(folder, file), 'utf8')).toBe('mine')
  })

  it('writes nothing to a path that is a file', async () => {
    const file = newFile('prices')
    writeFileSync(file, 'mine')
    const { code, stderr } = await init(file)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`nothing was written, because ${file} is a file; give another folder`),
    ])
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  it('names the file that cannot be written', async () => {
    const folder = dirname(newFile('src', 'mine'))
    const { code, stderr } = await init(folder)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${join(folder, 'src')}`)])
  })
})
