import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const INDEX = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

function isPublic(member: ts.Symbol): boolean {
  const [declaration] = member.declarations ?? [];
  if (declaration === undefined || member.flags & ts.SymbolFlags.TypeParameter) return false;
  // `#name`, a constructor, and what TypeScript or the base class names with `_`.
  return /^[a-z]/i.test(member.name) && (ts.getCombinedModifierFlags(declaration) & HIDDEN) === 0;
}

/** Each public name, and each member of a public class or interface, without a text for whoever hovers over it. */
function withoutText(): readonly string[] {
  const program = ts.createProgram([INDEX], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const index = program.getSourceFile(INDEX);
  const front = index && checker.getSymbolAtLocation(index);
  if (front === undefined) throw new Error(`${INDEX} is no module`);
  const isSilent = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length === 0;
  const exported = checker.getExportsOfModule(front);
  expect(exported.length).toBeGreaterThan(80);
  return exported.flatMap((name) => {
    const symbol = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
    const hasMembers = (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0;
    const members = hasMembers ? [...(symbol.members?.values() ?? [])].filter(isPublic) : [];
    const silent = members.filter(isSilent).map((member) => `${name.name}.${member.name}`);
    return isSilent(symbol) ? [name.name, ...silent] : silent;
  });
}

it('each public name and member says what it is', () => {
  expect(withoutText()).toEqual([]);
});
