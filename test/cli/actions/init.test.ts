import { readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { writeProject } from '../../../src/cli/actions/init.js'
import { newFile } from '../support/new-file.js'

const write = async (folder: string): Promise<string> => {
  let output = ''
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text)
    return true
  })
  await writeProject(folder).finally(() => stdout.mockRestore())
  return output
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).sort()

const files = [
  '.gitignore',
  'README.md',
  'package.json',
  'src',
  'src/main.ts',
  'src/strategy.test.ts',
  'src/strategy.ts',
  'tsconfig.json',
]

describe('init', () => {
  it('writes a project with a strategy and its test, and prints the next steps', async () => {
    const folder = newFile('My Prices')
    const output = await write(folder)
    expect(await filesIn(folder)).toEqual(files)
    expect(output).toMatch(
      /^Wrote package\.json, .*\n\nNext:\n {2}cd .*\n {2}npm install\n {2}npm start\n {2}npm test\n$/,
    )
    const { name, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(name).toBe('my-prices')
    expect(Object.keys(dependencies)).toEqual(['svc-streams', 'rxjs', 'fp-ts', 'io-ts'])
  })

  it('adds its files to a folder that has others', async () => {
    const folder = dirname(newFile('notes.txt', 'mine'))
    await write(folder)
    expect(await filesIn(folder)).toEqual([...files, 'notes.txt'].sort())
  })

  it.each(files.filter((file) => !file.startsWith('src')))('writes nothing if %s exists', async (file) => {
    const folder = dirname(newFile(file, 'mine'))
    await expect(write(folder)).rejects.toThrow(`nothing was written, because ${file} exists in ${folder}`)
    expect(await filesIn(folder)).toEqual([file])
    expect(readFileSync(join(folder, file), 'utf8')).toBe('mine')
  })

  it('writes nothing to a path that is a file', async () => {
    const file = newFile('prices')
    writeFileSync(file, 'mine')
    await expect(write(file)).rejects.toThrow()
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })
})
