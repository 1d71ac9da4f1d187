"""The attacks, by theme. A new one is a decorated function in any module here.

A function under `@inside` is sent into the container alone: besides its own names it may use those of
`trial` and modules that its file imports as `import x`.
"""
