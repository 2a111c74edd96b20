/** Some ids stand for reasons that are hard to carry. */
const REASONS = {
  accents: 'the model said “naïve” \u{1f600} \u007f',
  'too-long': 'long '.repeat(390),
  'too-long-cause': 'long '.repeat(390),
  'too-long-attempt': 'long '.repeat(390),
};

module.exports = { reasonOf: (id) => REASONS[id] ?? `reason of ${id}` };
