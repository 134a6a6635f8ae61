"""The panels draw in every state an artist can bring them into, and draw only."""

import blf
import bpy
import pytest

from .reading import add_cube, add_plane, bridge


class Layout:
    """Takes a panel's calls as Blender's layout does: unknown properties and operators are errors."""

    def __init__(self, seen):
        self.seen = seen

    def __getattr__(self, name):
        if name in ("row", "column", "box", "split"):
            return lambda **_: Layout(self.seen)
        raise AttributeError(name)

    def prop(self, owner, name, **_):
        assert name in owner.bl_rna.properties, name
        getattr(owner, name)
        self.seen.append(name)

    def operator(self, identifier, **_):
        module, _, name = identifier.partition(".")
        kind = getattr(getattr(bpy.ops, module), name).get_rna_type()
        assert kind.description
        self.seen.append(identifier)
        return type("Properties", (), {})()

    def operator_enum(self, identifier, name, **_):
        self.operator(identifier)

    def menu(self, identifier, **options):
        assert hasattr(bpy.types, identifier)
        self.seen.append(options["text"])

    def label(self, *, text, **_):
        assert text
        self.seen.append(text)

    def progress(self, *, factor, text):
        assert 0 <= factor <= 1
        self.seen.append(text)

    def separator(self):
        """Nothing to check."""


def panels():
    names = [name for name in dir(bpy.types) if name.startswith("DOLLOP_PT_")]
    assert len(names) == 42
    return [getattr(bpy.types, name) for name in names]


def draw_all():
    """Draw every panel that shows in the present context and return all that was drawn."""
    seen = []
    for panel in panels():
        if not hasattr(panel, "poll") or panel.poll(bpy.context):
            drawn = type("Drawn", (panel.__mro__[1],), {})()
            drawn.layout = Layout(seen)
            drawn.draw(bpy.context)
    return seen


def test_physics_properties_say_whose_panels_they_are(extension):
    top = [panel for panel in panels() if not getattr(panel, "bl_parent_id", "")]
    physics = {panel.bl_label for panel in top if panel.bl_space_type == "PROPERTIES"}
    assert len(physics) == 5 and physics == {f"Dollop {panel.bl_label}" for panel in top if panel.bl_space_type == "VIEW_3D"}


def test_empty_scene(scene):
    seen = draw_all()
    assert "dollop.body_add" in seen and "dollop.bake" in seen


def test_body(cube):
    bpy.ops.dollop.body_add()
    seen = draw_all()
    assert {"Dough", "resolution", "yield_stress", "yield_measure", "velocity", "estimated_tets"} <= set(seen)
    assert "dollop.collider_add" not in seen


@pytest.mark.parametrize("make", [add_cube, add_plane])
def test_collider(scene, make):
    make()
    bpy.ops.dollop.collider_add()
    assert {"collider_kind", "friction", "thickness"} <= set(draw_all())


def test_while_baking(cube):
    bpy.ops.dollop.body_add()
    status = bridge("bake_status")
    running = status.BakeStatus(running=True, stage="Frame 3 of 9", progress=0.3, eta=40.0, message="x " * 60)
    status.keep_status(bpy.context.scene.dollop.uid, running)
    seen = draw_all()
    assert "about 40 s left" in seen and "dollop.bake_cancel" in seen and "dollop.bake" not in seen


@pytest.mark.parametrize(
    ("kind", "shown", "hidden"),
    [
        ({"goal_kind": "NONE"}, {"goal_kind"}, {"goal_object", "goal_shape_key", "goal_rate"}),
        ({"goal_kind": "OBJECT"}, {"goal_object", "goal_rate"}, {"goal_shape_key"}),
        ({"goal_kind": "SHAPE_KEY"}, {"goal_shape_key", "goal_rate"}, {"goal_object"}),
        ({"fibre_kind": "DIRECTION"}, {"fibre_direction", "fibre_tension"}, {"fibre_attribute"}),
        ({"fibre_kind": "ATTRIBUTE"}, {"fibre_attribute", "fibre_activation"}, {"fibre_direction"}),
        ({"paint_kind": "NONE"}, {"paint_kind"}, {"paint_group", "paint_attribute", "paint_yield"}),
        ({"paint_kind": "GROUP"}, {"paint_group", "paint_stiffness", "paint_flow"}, {"paint_attribute"}),
        ({"paint_kind": "ATTRIBUTE"}, {"paint_attribute", "paint_hardening"}, {"paint_group"}),
        ({"remeshing": "off"}, {"refine_surface", "worst_condition"}, {"remesher", "refine_length", "merging"}),
        ({"remeshing": "wholesale"}, {"refine_surface", "refine_length", "inner_material"}, set()),
        ({"remeshing": "wholesale", "seen": "tets"}, {"tear_thickness"}, {"refine_surface", "refine_length", "inner_material"}),
    ],
)
def test_of_settings_with_a_kind_only_what_it_uses_is_shown(cube, kind, shown, hidden):
    bpy.ops.dollop.body_add()
    for name, value in kind.items():
        setattr(cube.dollop, name, value)
    seen = set(draw_all())
    assert shown <= seen and not hidden & seen


def test_labels_fit_a_sidebar_of_blenders_own_width(extension):
    """In Blender's own letters; the real window cut 80 pixels before a key's dot, and 100 without one."""
    settings = bpy.types.Object.bl_rna.properties["dollop"].fixed_type
    pointed = [prop.fixed_type for prop in settings.properties if prop.type == "POINTER"]
    of_scene = bpy.types.Scene.bl_rna.properties["dollop"].fixed_type
    groups = [settings, of_scene, *(group for group in pointed if group.identifier.startswith("DOLLOP_PG_"))]
    shown = [prop for group in groups for prop in group.properties if prop.type in ("FLOAT", "ENUM", "POINTER")]
    blf.size(0, 11)
    room = {prop.name: 80 if prop.is_animatable else 88 for prop in shown if not prop.name.startswith("DOLLOP_PG_")}
    widths = {name: blf.dimensions(0, name)[0] for name in room}
    assert len(widths) > 20 and min(widths.values()) > 10
    assert not {name: width for name, width in widths.items() if width >= room[name]}


def test_numbers_tell_their_unit(cube):
    bpy.ops.dollop.body_add()
    assert {"Pa", "kg/m³", "1/s"} <= set(draw_all())


def test_every_tooltip_is_written(extension):
    owners = [bpy.types.Object.bl_rna.properties["dollop"].fixed_type, bpy.types.Scene.bl_rna.properties["dollop"].fixed_type]
    keyed = {"fibre_activation", "friction", "stickiness", "thickness", "pin_strength", "attachment_strength", "pull_strength"}
    keyed |= {"rise_rate", "tear_thickness", "merging", "keep_apart"}
    for owner in owners:
        for prop in owner.properties:
            if prop.identifier not in ("rna_type", "name") and prop.type != "POINTER":
                assert prop.description, prop.identifier
                assert prop.is_animatable == (prop.identifier in keyed), prop.identifier


def test_preset_menu(cube):
    bpy.ops.dollop.body_add()
    seen = []
    menu = type("Drawn", (), {"layout": Layout(seen)})()
    bpy.types.DOLLOP_MT_presets.draw(menu, bpy.context)
    assert len(seen) >= 12


def test_a_sentence_with_a_place_has_its_button_beside_it(cube):
    bpy.ops.dollop.body_add()
    status, places = bridge("bake_status"), bridge("bad_places")
    named = (("Cube", "face 1"), ("Cube, 'two'", "at (1, 2, 3) m"), ("Cube", "face 12"))
    where = [places.BadPlace(*names) for names in named]
    said = "'Cube', face 12: It is thin.\n'Cube, 'two'', at (1, 2, 3) m: It is open.\nNothing else."
    status.keep_status(bpy.context.scene.dollop.uid, status.BakeStatus(message=said, places=where))
    seen = draw_all()
    found = seen[seen.index("'Cube': It is thin.") :][:6]
    show = "dollop.place_show"
    assert found == ["'Cube': It is thin.", show, "'Cube, 'two'': It is open.", show, "Nothing else.", "'Cube', face 1"]


def test_a_warning_of_a_bake_has_its_button_too(cube):
    bpy.ops.dollop.body_add()
    module = bridge("bake_status")
    status, place = module.BakeStatus(running=True), "near (1, 2.5, -3e-05)"
    for event in (
        {"message": f"'Cube', {place}, frame 7: No room.", "body": "Cube", "place": place},
        {"message": "'Cube', frame 9: It is worn."},
        {"message": f"'Cube', {place}, frame 31: No room.", "body": "Cube", "place": place},
    ):
        status.take({"event": "warning", **event})
    status.running = False
    module.keep_status(bpy.context.scene.dollop.uid, status)
    seen, show = draw_all(), "dollop.place_show"
    first = seen.index("'Cube', frame 7 and 1 more: No room.")
    assert seen[first : first + 3] == [seen[first], show, "'Cube', frame 9: It is worn."]
    assert bpy.ops.dollop.place_show(index=0) == {"FINISHED"}
    assert bpy.context.scene.cursor.location[:] == pytest.approx((1.0, 2.5, -3e-05))


def test_closed_panels_name_what_is_set_in_them(cube):
    bpy.ops.dollop.body_add()
    for name, kind, said in (("forces", "rise_kind", "Rise"), ("holds", "pin_kind", "Pin")):
        panel = getattr(bpy.types, f"DOLLOP_PT_{name}").__mro__[1]
        for value, expected in ((None, []), ("FIRM" if kind == "pin_kind" else "RATE", [said])):
            if value:
                setattr(cube.dollop, kind, value)
            seen = []
            drawn = type("Drawn", (panel,), {})()
            drawn.layout = Layout(seen)
            drawn.draw_header_preset(bpy.context)
            assert seen == expected


def test_goo_shows_the_settings_of_its_body(cube):
    bpy.ops.dollop.body_add(preset="wax")
    goo = add_cube()
    goo["dollop_result_of"] = cube.dollop.uid
    seen = draw_all()
    assert {"Wax", "yield_stress"} <= set(seen) and "dollop.body_add" not in seen
