/** The arguments of the first `npx svc-streams` line of a page, without the quotes of the shell. */
export const argumentsIn = (page: string): readonly string[] => {
  const [, line = ''] = /^npx svc-streams (.+)$/m.exec(page) ?? []
  return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain = '']) => quoted ?? plain)
}

/** The code of the first block of a language in a page. */
export const blockIn = (page: string, language: string): string =>
  new RegExp(`\`\`\`${language}\\n([^]*?)\\n\`\`\``).exec(page)?.[1] ?? ''

/** The environment variables that `svc-streams simulate` prints. */
export const exportedVariables = (output: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(output.matchAll(/^export (\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]),
  )
