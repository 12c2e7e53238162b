// Loaded into a program by --require: prints the packages whose code the program has loaded, when it exits.
const { sep } = require('node:path')

process.on('exit', () => {
  const names = Object.keys(require.cache).flatMap((file) => {
    const path = file.split(sep)
    const index = path.lastIndexOf('node_modules')
    return index < 0 ? [] : [path[index + 1]]
  })
  process.stderr.write(JSON.stringify([...new Set(names)].sort()))
})
