// What some bundlers make of an optional package that is not installed.
module.exports = {}
