import { promises, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join, sep } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { changeFolder } from '../../../src/cli/actions/init.js'
import { runInProcess } from '../support/in-process.js'
import { newFile } from '../support/new-file.js'

/** Runs `init`. Returns its exit code and its output. */
const init = (folder: string) => runInProcess(['init', folder], { npm_config_user_agent: undefined })

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).map((file) => file.replaceAll(sep, '/')).sort()

/** A write of the file with this name fails after its file was created. */
const fillDisk = (name: string): void => {
  const { open } = promises
  promises.open = async (path, ...flags) => {
    const file = await open(path, ...flags)
    if (basename(String(path)) === name)
      file.writeFile = () =>
        Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))
    return file
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    promises.open = open
    syncBuiltinESMExports()
  })
}

const files = [
  '.gitignore',
  'README.md',
  'package.json',
  'pnpm-workspace.yaml',
  'src',
  'src/main.ts',
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
      /^Wrote package\.json, .*\n\nNext:\n {2}cd .*\n {2}npm install\n {2}npm start\n {2}npm test\n$/,
    )
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(manifest).toMatchObject({ name: 'my-prices', allowScripts: { esbuild: false } })
    expect(Object.keys(manifest.dependencies)).toEqual(['svc-streams', 'rxjs', 'fp-ts', 'io-ts'])
  })

  it.each([
    ['npm/10.8.2 node/v20.20.2 linux x64 workspaces/false', ['npm install', 'npm start', 'npm test']],
    ['pnpm/10.5.2 npm/? node/v20.20.2 linux x64', ['pnpm install', 'pnpm start', 'pnpm test']],
    ['yarn/4.9.1 npm/? node/v20.20.2 linux x64', ['yarn install', 'yarn start', 'yarn test']],
    ['bun/1.2.2 npm/? node/v20.20.2 linux x64', ['bun install', 'bun run start', 'bun run test']],
    ['other/1.0.0', ['npm install', 'npm start', 'npm test']],
  ])('prints the steps of the package manager that has started it: %s', async (userAgent, steps) => {
    const { stdout } = await runInProcess(['init', newFile('prices')], { npm_config_user_agent: userAgent })
    expect(stdout.split('\n').slice(-5)).toEqual([
      expect.stringContaining('cd ') as string,
      ...steps.map((step) => `  ${step}`),
      '',
    ])
  })

  it.each([
    ['prices', 'cd prices'],
    ['../my-prices/v1.0', 'cd ../my-prices/v1.0'],
    ['Büro', 'cd Büro'],
    ['My Desk Ü', "cd 'My Desk Ü'"],
    ["it's $HOME", "cd 'it'\\''s $HOME'"],
    ['~', "cd '~'"],
    ['a\\b', "cd 'a\\b'"],
    ['-x', 'cd ./-x'],
    ['- x', "cd './- x'"],
  ])('quotes the folder %s for a shell of Unix', (folder, step) => {
    expect(changeFolder({ platform: 'linux', env: {} }, folder)).toBe(step)
    expect(changeFolder({ platform: 'win32', env: { SHELL: '/usr/bin/bash' } }, folder)).toBe(step)
  })

  it.each([
    ['C:\\prices', 'cd C:\\prices'],
    ['My Desk', 'cd "My Desk"'],
    ['-x', 'cd .\\-x'],
  ])('quotes the folder %s for the shells of Windows', (folder, step) => {
    expect(changeFolder({ platform: 'win32', env: {} }, folder)).toBe(step)
  })

  it('prints a step that changes to a folder with a space', async () => {
    const folder = newFile('My Desk Ü')
    const { stdout } = await init(folder)
    expect(stdout).toContain(`\n  ${changeFolder({ platform: 'linux', env: {} }, folder)}\n`)
    expect(stdout).toMatch(/cd '.*My Desk Ü'\n/)
  })

  it('rejects an empty name, such as that of a variable that is not set', async () => {
    const { code, stderr } = await init('')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: folder: expected a name, or \. for this folder; it is empty\n/),
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

  it('names one of the files of an earlier project, and their number', async () => {
    const folder = newFile('prices')
    await init(folder)
    const { code, stderr } = await init(folder)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `because package.json and 7 more of its files exist in ${folder}; give another`,
      ),
    ])
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

  it('removes its files, and names the one that cannot be written', async () => {
    const folder = dirname(newFile('src', 'mine'))
    const { code, stderr } = await init(folder)
    const path = join(folder, 'src', 'main.ts')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/nothing was written, because .* cannot be written \(.*\); give another folder/),
    ])
    expect(stderr).toContain(path)
    expect(await filesIn(folder)).toEqual(['src'])
  })

  it('leaves no file and no folder on a full disk', async () => {
    const folder = newFile('prices')
    fillDisk('README.md')
    const { code, stderr } = await init(join(folder, 'eth'))
    expect([code, stderr]).toEqual([
      1,
      `error: nothing was written, because ${join(folder, 'eth', 'README.md')} cannot be written ` +
        '(no space left on device); free space on the disk, or give another folder\n',
    ])
    expect(await filesIn(dirname(folder))).toEqual([])
  })
})
