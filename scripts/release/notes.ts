/** The notes of a release: the section of its version in CHANGELOG.md, without the heading. */
export const notesOf = (changelog: string, version: string): string => {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => text.split(/[\s,]/, 1)[0] === version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`)
  const [heading = '', ...lines] = section.split('\n')
  if (heading.includes('not released')) throw new Error(`the heading of CHANGELOG.md is "## ${heading}"`)
  const notes = lines.join('\n').trim()
  if (notes === '') throw new Error(`CHANGELOG.md has no changes below "## ${heading}"`)
  return `${notes}\n`
}
