"""Structure → meaning: the clauses that a parsed sentence says in a home (Montague 1970: the meaning of a tree from those of its parts).

Acts are the parser's, with the words of each role. Names are linked by the gazetteer; amounts, times and noun phrases are read by code that
is made for them. A role that was said and not understood stays in the clause without an entity: no default fills it.
"""

from sayso.intent.composition.composer import Composer as Composer
