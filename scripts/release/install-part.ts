const start = '<!-- install -->'
const end = '<!-- /install -->'

/** The README with the way to install the package: by its name if a version is in the registry, otherwise from a clone. */
export const withInstallPart = (readme: string, version: string, isPublished: boolean): string => {
  const [before, after] = [readme.indexOf(start), readme.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`expected ${start} and ${end} in the README`)
  const part = isPublished ? fromRegistry : fromClone(version)
  return `${readme.slice(0, before)}${start}\n\n${part}\n${readme.slice(after)}`
}

const fromRegistry = `\`\`\`sh
npm install svc-streams rxjs fp-ts io-ts
npx svc-streams watch --demo   # live prices of a simulator that drops its connection
\`\`\``

const fromClone = (version: string): string => `\`\`\`sh
npm ci && npm start   # in a clone: live prices of a simulator that drops its connection
\`\`\`

To install: \`npm ci && npm pack\` in the clone, and \`npm install ./svc-streams-${version}.tgz rxjs fp-ts io-ts\` in your project.`
