// A typedoc plugin that writes the pages as text, for tools that read no HTML: each page as Markdown under its path in the
// repository, `llms.txt` with a line for each, and `llms-full.txt` with all of them.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { RendererEvent } from 'typedoc'
import { withLinks } from './links.js'

/** The page with a table of all pages. */
const index = 'docs/README.md'

/** The Markdown reference, a page for each entry point. `typedoc.markdown.json` writes it. */
const reference = 'docs/reference/api'

export const load = ({ renderer, options }) => {
  renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    const paths = ['README.md', ...options.getValue('projectDocuments')]
    const names = readdirSync(reference, { recursive: true, encoding: 'utf8' }).sort()
    const api = names.filter((name) => /^svc-streams.*\.md$/.test(name)).map((name) => join(reference, name))
    for (const [file, text] of Object.entries(textFiles(paths.map(readPage), api.map(readPage)))) {
      mkdirSync(dirname(join(outputDirectory, file)), { recursive: true })
      writeFileSync(join(outputDirectory, file), text)
    }
    for (const asset of ['docs/images', 'docs/reference/asyncapi.json'])
      cpSync(asset, join(outputDirectory, asset), { recursive: true })
  })
}

const readPage = (path) => ({
  path: relative('.', path).replaceAll(sep, '/'),
  text: readFileSync(path, 'utf8'),
})

/** The text files of pages and of the pages of the API reference, by their names in the site. */
export const textFiles = (pages, api = []) => {
  const all = [...pages, ...api]
  const paths = new Set(all.map(({ path }) => path))
  return {
    ...Object.fromEntries(all.map((page) => [page.path, withLinks(page, paths)])),
    'llms.txt': indexOf(pages, api),
    'llms-full.txt': all.map((page) => `<!-- ${page.path} -->\n\n${withLinks(page, paths, '.')}`).join('\n'),
  }
}

const indexOf = (pages, api) => {
  const [readme] = pages
  const contents = contentsOf(pages.find(({ path }) => path === index))
  const lineOf = ({ path, text }) => {
    const title = path === readme.path ? 'README' : titleOf(text)
    return `- [${title}](${path}): ${contents.get(path) ?? firstSentence(text)}`
  }
  const section = (title, lines) => (lines.length === 0 ? '' : `\n## ${title}\n\n${lines.join('\n')}\n`)
  const head = `# ${titleOf(readme.text)}\n\n> ${firstSentence(readme.text)}\n`
  return head + section('Pages', pages.map(lineOf)) + section('API reference', api.map(lineOf))
}

/** The contents of pages by their paths, from the tables of the index. */
const contentsOf = ({ path, text }) =>
  new Map(
    [...text.matchAll(/^\| \[[^\]]+\]\(([^)]+)\) +\| (.+?) +\|$/gm)].map(([, target, content]) => [
      posix.join(posix.dirname(path), target),
      `${plain(content)}.`,
    ]),
  )

const titleOf = (text) => /^# (.+)$/m.exec(text)[1]

/** The first sentence of a page that is in no table, list or program. */
const firstSentence = (text) => {
  const paragraph =
    text.split(/\n{2,}/).find((block) => /^[A-Z`]/.test(block) && !block.startsWith('```')) ?? ''
  return /^.*?\.(?= |$)/.exec(plain(paragraph))?.[0] ?? plain(paragraph)
}

/** Markdown on one line, without links. */
const plain = (text) =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
