// A plugin of Prettier that writes the tables of Markdown without padding: a changed cell changes one line, and padding would be a
// seventh of the documentation.

import * as markdown from 'prettier/plugins/markdown'

const { mdast } = markdown.printers

// Prettier takes the printer of the plugin that has the parser.
export const parsers = { markdown: markdown.parsers.markdown }

export const printers = {
  mdast: {
    ...mdast,
    print: (path, options, print) => {
      if (path.node.type !== 'table') return mdast.print(path, options, print)
      // Prettier has a compact table for lines that are not wrapped, in a group that breaks if the padded one is too wide.
      const [breakParent, group] = mdast.print(path, { ...options, proseWrap: 'never' }, print)
      return [breakParent, { ...group, break: true }]
    },
  },
}
