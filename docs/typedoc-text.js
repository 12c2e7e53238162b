// A typedoc plugin that writes the pages as text, for tools that read no HTML: each page as Markdown under its path in the
// repository, `llms.txt` with a line for each, and `llms-full.txt` with all of them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { RendererEvent } from 'typedoc'

export const load = ({ renderer, options }) => {
  renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    const paths = ['README.md', ...options.getValue('projectDocuments')]
    const pages = paths.map((path) => ({ path: relative('.', path), text: readFileSync(path, 'utf8') }))
    for (const [file, text] of Object.entries(textFiles(pages))) {
      mkdirSync(dirname(join(outputDirectory, file)), { recursive: true })
      writeFileSync(join(outputDirectory, file), text)
    }
  })
}

/** The text files of pages, by their names in the site. */
export const textFiles = (pages) => ({
  ...Object.fromEntries(pages.map(({ path, text }) => [path, text])),
  'llms.txt': indexOf(pages),
  'llms-full.txt': pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text}`).join('\n'),
})

const indexOf = ([readme, ...pages]) => {
  const { title, summary } = headOf(readme.text)
  const lines = [readme, ...pages].map((page) => {
    const head = headOf(page.text)
    return `- [${page === readme ? 'README' : head.title}](${page.path}): ${head.summary}`
  })
  return `# ${title}\n\n> ${summary}\n\n## Pages\n\n${lines.join('\n')}\n`
}

/** The heading of a page, and the first sentence below it that is in no table, list or program. */
const headOf = (text) => {
  const [, title] = /^# (.+)$/m.exec(text)
  const paragraph =
    text.split(/\n{2,}/).find((block) => /^[A-Z`]/.test(block) && !block.startsWith('```')) ?? ''
  const plain = paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return { title, summary: /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain }
}
