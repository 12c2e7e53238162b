// `npm start`: shows a demonstration, or a real deployment if the environment configures one with SVC_… variables.

const isConfigured = Object.entries(process.env).some(
  ([name, value]) => name.startsWith('SVC_') && value !== '',
)
process.argv.splice(2, 0, 'watch', ...(isConfigured ? [] : ['--demo']))
await import('../src/cli/main.js')
