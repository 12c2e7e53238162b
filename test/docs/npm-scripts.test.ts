import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** `npm run ci` starts a program for bash. */
const portable = Object.entries(scripts).filter(([name]) => name !== 'ci')

describe('the scripts of package.json run in a shell of Unix and in cmd.exe', () => {
  it.each(portable)('%s', (_, script) => {
    // cmd.exe expands neither patterns nor `$`, and a single quote is a part of a word.
    expect(script.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/[*?$'`;]/)
    expect(script).not.toMatch(/(?:^|&& )(?:\w+=|(?:rm|cp|mv|mkdir) )/)
  })
})
